/**
 * `npm run dev`: the server, which starts again when its sources change, behind Vite, which gives the browser the pages
 * straight from their sources. Data of its own in `data/dev`. Pages get no Content-Security-Policy here: try what the
 * policy could refuse with `npm run build && npm start`.
 */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createServer, type Plugin } from 'vite'
import { pagesConfig } from '../packages/web/vite.config.ts'
import { argumentsOf } from './arguments.ts'

argumentsOf('npm run dev', {})
const root = join(import.meta.dirname, '..')
const pagesPort = Number(process.env.DEV_PAGES_PORT ?? 5173)
const serverPort = Number(process.env.DEV_SERVER_PORT ?? 8081)
const api = { target: `http://127.0.0.1:${serverPort}` }

/** The server routes `/u/<id>` and `/v/<id>` to one file; Vite alone would look for files of these names. */
const pageAddresses: Plugin = {
  name: 'page-addresses',
  configureServer: ({ middlewares }) => {
    middlewares.use((request, _response, next) => {
      request.url = request.url?.replace(/^\/[uv]\/[0-9a-f]{32}$/, '/u/index.html')
      next()
    })
  },
}

const server = spawn(
  process.execPath,
  ['--disable-warning=ExperimentalWarning', '--watch', '--watch-preserve-output', 'packages/server/src/main.ts'],
  {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: {
      DATA_DIR: join(root, 'data', 'dev'),
      LOG_LEVEL: 'warn',
      ...process.env,
      HOST: '127.0.0.1',
      PORT: String(serverPort),
      PUBLIC_URL: `http://127.0.0.1:${pagesPort}`,
    },
  },
)

const pages = await createServer({
  ...pagesConfig(join(root, 'packages/web/dist')),
  base: '/',
  plugins: [pageAddresses],
  server: {
    host: '127.0.0.1',
    port: pagesPort,
    strictPort: true,
    proxy: Object.fromEntries(
      ['/v1/', '/d/', '/s/', '/preview/', '/push/', '/take/', '/problems/', '/.well-known/', '/openapi'].map((path) => [
        path,
        api,
      ]),
    ),
  },
})
await pages.listen()
console.log(`Pages from their sources: http://127.0.0.1:${pagesPort}/ (changes reload). Ctrl-C stops both.`)

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    server.kill('SIGTERM')
    void pages.close().then(() => process.exit(0))
  })
server.once('exit', (status) => process.exit(status ?? 1))
