// The connection to the server: questions with answers, pictures that are pushed, and a new
// connection when the old one is lost.

const LONGEST_WAIT = 8000;

export class Wire {
  constructor({ pushed, opened, closed }) {
    Object.assign(this, { pushed, opened, closed });
    this.number = 0;
    this.asked = new Map();
    this.wait = 250;
    this.open();
  }

  open() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    this.socket = new WebSocket(`${scheme}://${location.host}/ws`);
    this.socket.onopen = () => {
      this.wait = 250;
      this.opened();
    };
    this.socket.onmessage = (event) => this.hear(JSON.parse(event.data));
    this.socket.onclose = () => this.lost();
  }

  lost() {
    for (const { reject } of this.asked.values()) reject(new Error("the connection was lost"));
    this.asked.clear();
    this.closed();
    setTimeout(() => this.open(), this.wait);
    this.wait = Math.min(this.wait * 2, LONGEST_WAIT);
  }

  hear(message) {
    if (message.push) {
      this.pushed(message);
      return;
    }
    const asked = this.asked.get(message.re);
    if (!asked) return;
    this.asked.delete(message.re);
    if (message.error) asked.reject(new Error(message.error.message));
    else asked.resolve(message.ok);
  }

  ask(what, fields = {}) {
    if (this.socket.readyState !== WebSocket.OPEN) {
      return Promise.reject(new Error("there is no connection; the page tries again by itself"));
    }
    this.number += 1;
    const re = this.number;
    return new Promise((resolve, reject) => {
      this.asked.set(re, { resolve, reject });
      this.socket.send(JSON.stringify({ do: what, re, ...fields }));
    });
  }
}
