# syntax=docker/dockerfile:1

# ---- build: compiles better-sqlite3 where no prebuilt binary fits, and the TypeScript
FROM node:20.20.2-bookworm-slim AS build
# Headers lie in the image; what compiles would else ask the network for them.
ENV npm_config_nodedir=/usr/local
RUN apt-get update \
 && apt-get install -y --no-install-recommends g++ make python3 \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY package.json package-lock.json ./
# npm writes that file last, and has been seen to end well without it.
RUN npm ci --no-audit --no-fund && test -f node_modules/.package-lock.json
COPY tsconfig.json tsconfig.build.json ./
COPY src ./src
COPY workers ./workers
COPY scripts/bundle*.mjs ./scripts/
# SQLite is an optional package, whose failure to compile would show at the first start only.
RUN npm run build && npm prune --omit=dev --no-audit --no-fund \
 && DATA_DIR=/tmp/tried node dist/src/cli/main.js keys list
COPY README.md CONTRIBUTING.md CHANGELOG.md ./
COPY docs ./docs
COPY site ./site
COPY scripts/site.mjs ./scripts/
COPY scripts/prose/blocks.ts scripts/prose/links.ts ./scripts/prose/
# Pictures are in the pages that are built; the service gives agents the texts alone.
RUN npm run site && find docs -type f ! -name '*.md' -delete

# ---- run: no compiler, no root; writes to /data and /tmp only, so that the rest can be read-only
FROM node:20.20.2-bookworm-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates tini \
 && rm -rf /var/lib/apt/lists/* \
 && install -d -o node -g node /data
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY --from=build /app/docs ./docs
COPY LICENSE NOTICE ./
USER node
# Two arenas: threads would else keep 20 to 60 MB of freed memory.
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data MALLOC_ARENA_MAX=2 \
    XDG_CACHE_HOME=/data/cache npm_config_cache=/tmp/npm
VOLUME /data
EXPOSE 3000
# Of a worker by WORKER_PORT. A first start on the sandbox builds its chains.
HEALTHCHECK --interval=10s --timeout=3s --start-period=180s \
  CMD ["node", "-e", "Promise.any([process.env.PORT, process.env.WORKER_PORT].map((port) => fetch(`http://127.0.0.1:${port}/health`))).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# tini passes signals on and reaps what is left
ENTRYPOINT ["/usr/bin/tini", "--", "node", "dist/src/cli/main.js"]
CMD ["serve"]
