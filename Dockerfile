# Builds phasezoo and runs its demo; docs/install.md says how.
FROM python:3.12-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends build-essential ca-certificates curl make \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /phasezoo
COPY . .
RUN make setup
ENV PATH=/phasezoo/.venv/bin:$PATH VIRTUAL_ENV=/phasezoo/.venv
CMD ["make", "demo"]
