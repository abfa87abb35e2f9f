/**
 * Stands in for images where no registry can be reached: Debian by `debootstrap`, with the real programs and the entry
 * points, users and directories that the official images have. An image that the engine has already is used as it is
 * (`podman pull` it before).
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { copyServer } from '../packages/server/src/testing/postgresServer.ts'
import type { Engine } from './engine.ts'

const DEBIAN = 'localhost/blindkeep-debian:bookworm'
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt'
const INSTALL = 'apt-get update && apt-get install --yes --no-install-recommends'
const CLEAN = 'rm -rf /var/lib/apt/lists/*'

interface StandIn {
  /** Begins the names of images that it stands for. */
  readonly name: string
  /** Programs of this machine that it takes. */
  readonly programs: readonly string[]
  /** Writes the context of its build and returns its Dockerfile without `FROM`. */
  prepare(context: string): readonly string[]
}

const STAND_INS: readonly StandIn[] = [
  { name: 'docker.io/library/node:', programs: ['npm'], prepare: prepareNode },
  { name: 'docker.io/library/caddy:', programs: [], prepare: prepareCaddy },
  { name: 'docker.io/library/postgres:', programs: [], prepare: preparePostgres },
  { name: 'docker.io/minio/minio:', programs: ['minio'], prepare: prepareMinio },
  { name: 'docker.io/minio/mc:', programs: ['mc'], prepare: prepareMinioClient },
]

/** The names of the images that a Dockerfile or a compose file names. */
export function imagesOf(path: string): readonly string[] {
  const text = readFileSync(path, 'utf8')
  return [...new Set([...text.matchAll(/^(?:FROM| +image:) (docker\.io\/\S+)/gm)].map(([, name = '']) => name))]
}

/** Makes missing images and adds their ids to `made`. Returns what this machine lacks, if anything. */
export async function makeStandIns(
  engine: Engine,
  names: readonly string[],
  made: string[],
): Promise<string | undefined> {
  for (const image of names) {
    if (await engine.hasImage(image)) continue
    const standIn = STAND_INS.find(({ name }) => image.startsWith(name))
    if (standIn === undefined) return `there is no stand-in for ${image}`
    if (process.getuid?.() !== 0) return `it needs the image ${image}, or root to make a stand-in for it`
    const missing = ['debootstrap', ...standIn.programs].find((program) => !isProgram(program))
    if (missing !== undefined) return `it needs the image ${image}, or ${missing} to stand in for it`
    if (!(await engine.hasImage(DEBIAN))) made.push(await makeDebian(engine))
    const context = mkdtempSync(join(tmpdir(), 'blindkeep-stand-in-'))
    try {
      writeFileSync(join(context, 'Dockerfile'), [`FROM ${DEBIAN}`, ...standIn.prepare(context), ''].join('\n'))
      await engine.must('build', '--tag', image, context)
    } finally {
      rmSync(context, { recursive: true, force: true })
    }
    made.push(await engine.must('image', 'inspect', '--format', '{{.Id}}', image))
  }
  return undefined
}

async function makeDebian(engine: Engine): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'blindkeep-debian-'))
  try {
    execFileSync('debootstrap', ['--variant=minbase', 'bookworm', directory], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    // As this machine reaches registries, so do the builds.
    if (existsSync(CERTIFICATES)) {
      mkdirSync(join(directory, 'etc/ssl/certs'), { recursive: true })
      cpSync(CERTIFICATES, join(directory, CERTIFICATES), { dereference: true })
    }
    const packing = spawn('tar', ['--create', '--directory', directory, '.'], { stdio: ['ignore', 'pipe', 'inherit'] })
    const importing = spawn(engine.name, ['import', '-', DEBIAN], { stdio: [packing.stdout, 'ignore', 'inherit'] })
    const [status] = await once(importing, 'close')
    if (status !== 0) throw new Error(`${engine.name} import ended with ${status}`)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
  return engine.must('image', 'inspect', '--format', '{{.Id}}', DEBIAN)
}

function prepareNode(context: string): readonly string[] {
  cpSync(process.execPath, join(context, 'node'))
  // `npm-cli.js` in `bin`. The npm of PATH is not always that of our Node.
  const npm = dirname(dirname(realpathSync(pathOf('npm'))))
  cpSync(npm, join(context, 'npm'), { recursive: true, dereference: true })
  writeProgram(
    join(context, 'docker-entrypoint.sh'),
    'case "$1" in -*) set -- node "$@";; esac\ncommand -v "$1" > /dev/null || set -- node "$@"\nexec "$@"',
  )
  return [
    'RUN groupadd --gid 1000 node && useradd --uid 1000 --gid node --shell /bin/bash --create-home node',
    'COPY node docker-entrypoint.sh /usr/local/bin/',
    'COPY npm /usr/local/lib/node_modules/npm',
    'RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm && ln -s ../lib/node_modules/npm/bin/npx-cli.js /usr/local/bin/npx',
    ...(existsSync(CERTIFICATES)
      ? [`RUN mkdir -p /usr/local/etc && echo cafile=${CERTIFICATES} > /usr/local/etc/npmrc`]
      : []),
    'ENTRYPOINT ["docker-entrypoint.sh"]',
    'CMD ["node"]',
  ]
}

function prepareCaddy(): readonly string[] {
  return [
    `RUN ${INSTALL} caddy libcap2-bin && setcap cap_net_bind_service=+ep /usr/bin/caddy && ${CLEAN}`,
    'ENV XDG_CONFIG_HOME=/config XDG_DATA_HOME=/data',
    'WORKDIR /srv',
    'CMD ["caddy", "run", "--config", "/etc/caddy/Caddyfile", "--adapter", "caddyfile"]',
  ]
}

/** `pg_isready` is Debian's; the server is that of the tests. */
function preparePostgres(context: string): readonly string[] {
  copyServer(context)
  writeProgram(
    join(context, 'docker-entrypoint.sh'),
    [
      'if [ "$(id -u)" = 0 ]; then',
      '  install -d -o postgres -g postgres -m 700 "$PGDATA"',
      '  exec setpriv --reuid=postgres --regid=postgres --clear-groups "$0" "$@"',
      'fi',
      'if [ ! -s "$PGDATA/PG_VERSION" ]; then',
      '  echo "$POSTGRES_PASSWORD" > /tmp/password',
      '  initdb --username="$POSTGRES_USER" --pwfile=/tmp/password --auth-local=trust --auth-host=scram-sha-256',
      '  echo "host all all all scram-sha-256" >> "$PGDATA/pg_hba.conf"',
      '  echo "CREATE DATABASE $POSTGRES_DB" | postgres --single postgres',
      'fi',
      'exec "$@"',
    ].join('\n'),
  )
  return [
    `RUN ${INSTALL} postgresql-client && ${CLEAN}`,
    'RUN (id postgres || useradd --system postgres) && install -d -o postgres -g postgres /var/run/postgresql',
    'COPY native /usr/local/pgsql',
    'COPY docker-entrypoint.sh /usr/local/bin/',
    'ENV PGDATA=/var/lib/postgresql/18/docker LC_ALL=C PATH=/usr/local/pgsql/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    'VOLUME /var/lib/postgresql',
    'STOPSIGNAL SIGINT',
    'ENTRYPOINT ["docker-entrypoint.sh"]',
    'CMD ["postgres", "-c", "listen_addresses=*", "-c", "unix_socket_directories=/tmp,/var/run/postgresql"]',
  ]
}

function prepareMinio(context: string): readonly string[] {
  cpSync(pathOf('minio'), join(context, 'minio'), { dereference: true })
  return ['COPY minio /usr/bin/', 'VOLUME /data', 'ENTRYPOINT ["minio"]']
}

function prepareMinioClient(context: string): readonly string[] {
  cpSync(pathOf('mc'), join(context, 'mc'), { dereference: true })
  return ['COPY mc /usr/bin/', 'ENTRYPOINT ["mc"]']
}

function writeProgram(path: string, lines: string): void {
  writeFileSync(path, `#!/bin/sh\nset -e\n${lines}\n`)
  chmodSync(path, 0o755)
}

function pathOf(program: string): string {
  return execFileSync('which', [program], { encoding: 'utf8' }).trim()
}

function isProgram(name: string): boolean {
  return spawnSync('which', [name], { stdio: 'ignore' }).status === 0
}
