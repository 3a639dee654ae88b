// Small helpers for making elements.

const SVG = "http://www.w3.org/2000/svg";

export const byId = (id) => document.getElementById(`pz-${id}`);

export function element(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

export function shape(name, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

function filled(made, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return made;
}

// Replaces the children of an element, but only if their text differs: a reader is not disturbed.
export function refill(parent, ...children) {
  parent.replaceChildren(...children.flat().filter((child) => child !== null));
}

export const counted = (count) => `${count.toLocaleString("en")} ${count === 1 ? "ply" : "plies"}`;

export const percent = (share) => `${(100 * share).toFixed(share < 0.0995 ? 1 : 0)} %`;

export function signed(value) {
  if (value === null || value === undefined) return "–";
  const digits = Math.abs(value).toFixed(2);
  return (Number(digits) === 0 ? "" : value > 0 ? "+" : "−") + digits;
}

// Colours of phases and experts: Okabe and Ito's palette (2008).
export const PALETTE = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#888"];

export const colour = (index) => PALETTE[index % PALETTE.length];
