/** The samples of `deploy/proxy/` as running proxies: the same text, with other addresses, files and certificates. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { replaced } from './replaced.ts'

const SAMPLES = fileURLToPath(new URL('proxy', import.meta.url))
const READY_TIMEOUT_MS = 60_000
/** Where Debian has servers. */
const PATH = `${process.env.PATH}:/usr/sbin:/usr/local/sbin`

const CADDY_ARGUMENTS = ['run', '--config', 'Caddyfile', '--adapter', 'caddyfile']

export interface Place {
  /** Where the proxy listens, with TLS for `localhost`. */
  readonly port: number
  readonly serverPort: number
  /** For a proxy that also answers plain HTTP. */
  readonly plainPort: number
  /** Whether the server is below `/drop/` there. */
  readonly isBelow: boolean
  /** The ports of several nodes, in place of `serverPort`. */
  readonly nodes?: readonly number[]
  /** What nginx is to hold of each of them. */
  readonly nodeParameters?: string
  /** Another name beside `localhost`: one of before a move. */
  readonly formerName?: string
}

interface Setting extends Place {
  readonly directory: string
  readonly certificate: string
  readonly key: string
}

export interface RunningProxy {
  /** Its files, and where it runs. */
  readonly directory: string
  /** Of the authority that its clients have to trust. */
  readonly certificate: string
  /** All that it wrote: to its outputs, and to files of its own. */
  log(): Promise<string>
  stop(): Promise<void>
}

interface Kind {
  readonly name: 'nginx' | 'caddy' | 'traefik'
  /** Writes its configuration and returns its arguments. */
  configure(setting: Setting): Promise<readonly string[]>
}

export const PROXIES: readonly Kind[] = [
  { name: 'nginx', configure: configureNginx },
  { name: 'caddy', configure: configureCaddy },
  { name: 'traefik', configure: configureTraefik },
]

/** At a former name, on a machine that does not lead to the server, whose present address is at `serverPort`. */
export const FORMER_PROXIES: readonly Kind[] = [
  { name: 'nginx', configure: configureFormerNginx },
  { name: 'caddy', configure: configureFormerCaddy },
]

export async function startProxy({ name, configure }: Kind, place: Place): Promise<RunningProxy> {
  const directory = await mkdtemp(join(tmpdir(), `blindkeep-${name}-`))
  const setting = { ...place, directory, certificate: join(directory, 'cert.pem'), key: join(directory, 'key.pem') }
  makeCertificate(setting)
  const args = await configure(setting)
  let written = ''
  const child = spawn(name, args, { cwd: directory, env: { PATH, HOME: directory }, stdio: ['ignore', 'pipe', 'pipe'] })
  for (const output of [child.stdout, child.stderr]) output.setEncoding('utf8').on('data', (text) => (written += text))
  const killWithParent = () => child.kill('SIGKILL')
  process.once('exit', killWithParent)
  const stop = async () => {
    process.removeListener('exit', killWithParent)
    if (!hasEnded(child)) {
      const closed = once(child, 'close')
      child.kill('SIGTERM')
      await closed
    }
    await rm(directory, { recursive: true, force: true })
  }
  try {
    await untilListening(child, place.port, () => written)
  } catch (error) {
    await stop()
    throw error
  }
  return {
    directory,
    certificate: await readFile(setting.certificate, 'utf8'),
    log: async () => written + (await readFile(join(directory, 'own.log'), 'utf8').catch(() => '')),
    stop,
  }
}

async function configureNginx({
  directory,
  certificate,
  key,
  port,
  serverPort,
  isBelow,
  nodes,
  nodeParameters = 'max_fails=0',
  formerName,
}: Setting) {
  const server = nodes === undefined ? `127.0.0.1:${serverPort}` : 'blindkeep'
  const text = await sample('nginx.conf')
  const site = replaced(text, [
    ['listen 443 ssl', `listen 127.0.0.1:${port} ssl`],
    ['server_name drop.example.org', `server_name localhost ${formerName ?? ''}`],
    ['/etc/ssl/drop.pem', certificate],
    ['/etc/ssl/drop.key', key],
    ['/var/log/nginx/blindkeep.log', join(directory, 'own.log')],
    ['location = /take/ {', isBelow ? 'location = /drop/take/ {' : 'location = /take/ {'],
    ['location / {', isBelow ? 'location /drop/ {' : 'location / {'],
    ['http://127.0.0.1:8080;', `http://${server}${isBelow ? '/' : ''};`],
  ])
  if (nodes !== undefined) {
    const upstream = replaced(await sample('nginx-nodes.conf'), [['/etc/nginx/blindkeep.nodes', nodesFile(directory)]])
    await writeFile(join(directory, 'nodes.conf'), upstream)
    const lines = nodes.map((each) => `server 127.0.0.1:${each} ${nodeParameters};\n`)
    await writeFile(nodesFile(directory), lines.join(''))
  }
  return nginxWith({ directory, site, main: text, include: nodes === undefined ? [] : ['nodes.conf'] })
}

async function configureFormerNginx({ directory, certificate, key, port, serverPort }: Setting) {
  const text = replaced(await sample('nginx-former.conf'), [
    ['listen 443 ssl', `listen 127.0.0.1:${port} ssl`],
    ['server_name old.example.org', 'server_name localhost'],
    ['/etc/ssl/old.pem', certificate],
    ['/etc/ssl/old.key', key],
    ['/var/log/nginx/blindkeep-former.log', join(directory, 'own.log')],
  ])
  return nginxWith({ directory, site: atPresent(text, serverPort), main: await sample('nginx.conf'), include: [] })
}

const atPresent = (text: string, port: number) =>
  text.replaceAll('https://drop.example.org', `http://127.0.0.1:${port}`)

/** @param main the sample whose head says what the main file needs */
async function nginxWith({
  directory,
  site,
  main,
  include,
}: {
  readonly directory: string
  readonly site: string
  readonly main: string
  readonly include: readonly string[]
}): Promise<readonly string[]> {
  await writeFile(join(directory, 'site.conf'), site)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${directory};`,
  )
  const lines = [
    ...(process.getuid?.() === 0 ? ['user root;'] : []),
    'daemon off;',
    'worker_processes 1;',
    `pid ${directory}/nginx.pid;`,
    ...mainLinesIn(main),
    `http { ${temporary.join(' ')} ${['site.conf', ...include].map((each) => `include ${directory}/${each};`).join(' ')} }`,
  ]
  await writeFile(join(directory, 'nginx.conf'), lines.join('\n'))
  return nginxArguments(directory)
}

/** What the sample wants in the main file of nginx, which a file of `conf.d` cannot have itself. */
function mainLinesIn(text: string): readonly string[] {
  return Array.from(text.matchAll(/^# {3}(.*)$/gm), ([, line = '']) => line)
}

export const nodesFile = (directory: string) => join(directory, 'blindkeep.nodes')

export function nginxArguments(directory: string): readonly string[] {
  return ['-p', directory, '-e', 'stderr', '-c', join(directory, 'nginx.conf')]
}

async function configureCaddy(setting: Setting) {
  const { directory, certificate, key, port, serverPort, plainPort, isBelow, nodes, formerName } = setting
  const former = formerName === undefined ? '' : `, https://${formerName}:${port}`
  const site = `https://localhost:${port}${former} {\n\tbind 127.0.0.1\n\ttls ${certificate} ${key}`
  if (nodes !== undefined) {
    const several = replaced(await sample('../scale.Caddyfile'), [
      ['admin off', `admin off\n\thttp_port ${plainPort}`],
      ['http://:8080 {', site],
      ['node-1:8080 node-2:8080', nodes.map((each) => `127.0.0.1:${each}`).join(' ')],
    ])
    await writeFile(join(directory, 'Caddyfile'), several)
    return CADDY_ARGUMENTS
  }
  const server = `reverse_proxy 127.0.0.1:${serverPort}`
  const text = replaced(await sample('Caddyfile'), [
    ['admin off', `admin off\n\thttp_port ${plainPort}`],
    ['{$DOMAIN:drop.example.org} {', site],
    ['respond /take/', isBelow ? 'handle_path /drop/* {\nrespond /take/' : 'respond /take/'],
    ['reverse_proxy {$SERVER:127.0.0.1:8080}', isBelow ? `${server}\n}` : server],
  ])
  await writeFile(join(directory, 'Caddyfile'), text)
  return CADDY_ARGUMENTS
}

async function configureFormerCaddy({ directory, certificate, key, port, serverPort, plainPort }: Setting) {
  const text = replaced(await sample('former.Caddyfile'), [
    ['admin off', `admin off\n\thttp_port ${plainPort}`],
    ['old.example.org {', `https://localhost:${port} {\n\tbind 127.0.0.1\n\ttls ${certificate} ${key}`],
  ])
  await writeFile(join(directory, 'Caddyfile'), atPresent(text, serverPort))
  return CADDY_ARGUMENTS
}

async function configureTraefik(setting: Setting) {
  const { directory, certificate, key, port, serverPort, isBelow, nodes, formerName } = setting
  const dynamic = join(directory, 'blindkeep.yaml')
  const text = replaced(await sample('traefik.yaml'), [
    ['address: ":443"', `address: "127.0.0.1:${port}"`],
    ['/var/lib/traefik/acme.json', join(directory, 'acme.json')],
    ['/etc/traefik/blindkeep.yaml', dynamic],
  ])
  await writeFile(join(directory, 'traefik.yaml'), text)
  const hosts = ['localhost', ...(formerName === undefined ? [] : [formerName])]
  const named = hosts.map((name) => `Host(\`${name}\`)`).join(' || ')
  const rule = isBelow ? 'Host(`localhost`) && PathPrefix(`/drop`)\n      middlewares: [drop]' : named
  const below = isBelow ? '  middlewares:\n    drop:\n      stripPrefix:\n        prefixes: [/drop]\n' : ''
  const several = nodes?.map((each, at) => [`http://10.0.0.1${at + 1}:8080`, `http://127.0.0.1:${each}`] as const)
  const routes = replaced(await sample(nodes === undefined ? 'traefik.blindkeep.yaml' : 'traefik.nodes.yaml'), [
    ['rule: Host(`drop.example.org`)', `rule: ${rule}`],
    ['tls:\n        certResolver: letsencrypt', 'tls: {}'],
    ...(several ?? ([['http://127.0.0.1:8080', `http://127.0.0.1:${serverPort}`]] as const)),
  ])
  const tls = `tls:\n  certificates:\n    - certFile: ${certificate}\n      keyFile: ${key}\n`
  await writeFile(dynamic, `${routes}${below}${tls}`)
  return [`--configFile=${join(directory, 'traefik.yaml')}`]
}

function sample(name: string): Promise<string> {
  return readFile(join(SAMPLES, name), 'utf8')
}

/** Of an authority of its own, for `localhost` and a former name. */
function makeCertificate({ certificate, key, formerName }: Setting): void {
  const alternatives = ['localhost', ...(formerName === undefined ? [] : [formerName])].map((name) => `DNS:${name}`)
  const names = ['-subj', '/CN=localhost', '-addext', `subjectAltName=${alternatives}`]
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  execFileSync('openssl', ['req', ...kind, ...names, '-keyout', key, '-out', certificate], { stdio: 'ignore' })
}

async function untilListening(child: ChildProcess, port: number, log: () => string): Promise<void> {
  const deadline = Date.now() + READY_TIMEOUT_MS
  while (Date.now() < deadline) {
    if (hasEnded(child)) throw new Error(`the proxy ended:\n${log()}`)
    if (await listens(port)) return
    await wait(25)
  }
  throw new Error(`the proxy does not listen:\n${log()}`)
}

function listens(port: number): Promise<boolean> {
  const socket = connect({ host: '127.0.0.1', port })
  return new Promise((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
  }).then((isListening) => {
    socket.destroy()
    return isListening === true
  })
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null
}
