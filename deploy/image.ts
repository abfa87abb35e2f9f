/**
 * Runs the steps of a Dockerfile without a container engine: each stage is a directory over the root of this machine
 * (overlayfs), which stands for the base image, with our Node and a user `node`. Knows the instructions that
 * `deploy/Dockerfile` uses, and throws for others.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, matchesGlob, relative } from 'node:path'

export interface Image {
  readonly environment: Readonly<Record<string, string>>
  readonly user: string
  readonly command: readonly string[]
  readonly healthCheck: readonly string[]
  /** Starts a program as a container would: only volumes and /tmp are writable, no capabilities. */
  start(command: readonly string[], settings: Readonly<Record<string, string>>): ChildProcess
  remove(): void
}

interface Stage {
  readonly directory: string
  readonly environment: Record<string, string>
  readonly volumes: string[]
  directoryOfWork: string
  user: string
  command: readonly string[]
  healthCheck: readonly string[]
}

/** Whether this machine has what the trial needs; otherwise what it lacks. */
export function lackOf(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'it needs Linux and root'
  const directory = mkdtempSync(join(tmpdir(), 'blindkeep-overlay-'))
  try {
    inRoot(prepared(directory), 'true')
    return undefined
  } catch {
    return 'this machine mounts no overlay'
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

export function buildImage(dockerfile: string, context: string): Image {
  const root = mkdtempSync(join(tmpdir(), 'blindkeep-image-'))
  const remove = () => rmSync(root, { recursive: true, force: true })
  try {
    const stage = runSteps({ root, dockerfile, context })
    return { ...stage, start: (command, settings) => startIn(stage, command, settings), remove }
  } catch (error) {
    remove()
    throw error
  }
}

function runSteps(given: { readonly root: string; readonly dockerfile: string; readonly context: string }): Stage {
  const stages = new Map<string, Stage>()
  let stage: Stage | undefined
  for (const line of readFileSync(given.dockerfile, 'utf8').split('\n')) {
    const [, word = '', rest = ''] = /^([A-Z]+) (.*)$/.exec(line) ?? []
    if (word === 'FROM') {
      const [, name = 'last'] = / AS (\w+)$/.exec(rest) ?? []
      stage = newStage(join(given.root, name))
      stages.set(name, stage)
    } else if (word !== '') {
      if (stage === undefined) throw new Error('the first instruction is not FROM')
      runStep({ stage, stages, context: given.context }, word, rest)
    } else if (line !== '' && !line.startsWith('#')) throw new Error(`cannot read ${line}`)
  }
  if (stage === undefined) throw new Error('there is no FROM')
  return stage
}

interface Building {
  readonly stage: Stage
  readonly stages: ReadonlyMap<string, Stage>
  readonly context: string
}

function runStep(building: Building, word: string, rest: string): void {
  const { stage } = building
  if (word === 'COPY') copy(building, rest)
  else if (word === 'RUN') inRoot(stage.directory, `cd ${stage.directoryOfWork} && ${rest}`, stage.environment)
  else if (word === 'ENV')
    Object.assign(stage.environment, Object.fromEntries(rest.split(' ').map((pair) => pair.split('='))))
  else if (word === 'USER') stage.user = rest
  else if (word === 'VOLUME') stage.volumes.push(rest)
  else if (word === 'WORKDIR') {
    stage.directoryOfWork = rest
    inRoot(stage.directory, `mkdir -p ${rest}`)
  } else if (word === 'CMD') stage.command = JSON.parse(rest)
  else if (word === 'HEALTHCHECK') stage.healthCheck = JSON.parse(rest.slice(rest.indexOf('CMD ') + 4))
  else if (!(word === 'EXPOSE' || (word === 'STOPSIGNAL' && rest === 'SIGTERM'))) throw new Error(`unknown: ${word}`)
}

function newStage(directory: string): Stage {
  prepared(directory)
  // What the base image brings.
  mkdirSync(join(directory, 'upper/usr/local/bin'), { recursive: true })
  mkdirSync(join(directory, 'upper/etc'))
  cpSync(process.execPath, join(directory, 'upper/usr/local/bin/node'))
  for (const file of ['passwd', 'group']) cpSync(join('/etc', file), join(directory, 'upper/etc', file))
  appendFileSync(join(directory, 'upper/etc/passwd'), 'node:x:64999:64999::/home/node:/bin/sh\n')
  appendFileSync(join(directory, 'upper/etc/group'), 'node:x:64999:\n')
  const environment = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' }
  return { directory, environment, volumes: [], directoryOfWork: '/', user: 'root', command: [], healthCheck: [] }
}

function prepared(directory: string): string {
  for (const name of ['upper', 'work', 'root']) mkdirSync(join(directory, name), { recursive: true })
  return directory
}

/** As Docker does: a directory gives its contents, a file is put into a target that ends with a slash. */
function copy({ stage, stages, context }: Building, rest: string): void {
  const [, from] = /^--from=(\w+) /.exec(rest) ?? []
  const paths = rest.replace(/^--from=\w+ /, '').split(' ')
  const to = paths.pop() ?? ''
  const source = from === undefined ? context : join(stages.get(from)?.directory ?? '', 'upper')
  const target = join(stage.directory, 'upper', to.startsWith('/') ? to : join(stage.directoryOfWork, to))
  const ignored = from === undefined ? readFileSync(join(context, '.dockerignore'), 'utf8').split('\n') : []
  const filter = (path: string) =>
    !ignored.some((pattern) => pattern !== '' && matchesGlob(relative(context, path), pattern))
  for (const path of paths) {
    const each = join(source, path)
    const isInside = to.endsWith('/') && statSync(each).isFile()
    cpSync(each, isInside ? join(target, basename(path)) : target, { recursive: true, filter, verbatimSymlinks: true })
  }
}

/** Lines of a shell that make the root of a stage at `$1/root`. They run in a mount namespace of their own. */
const MOUNTS = `set -e
mount -t overlay overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$1/root"
mount --rbind /dev "$1/root/dev"
mount --rbind /proc "$1/root/proc"
mount -t tmpfs tmpfs "$1/root/tmp"
`

function inRoot(directory: string, script: string, environment: Readonly<Record<string, string>> = {}): void {
  const shell = `${MOUNTS}exec chroot "$1/root" /bin/sh -c "$2"`
  const env = { ...process.env, ...environment }
  execFileSync('unshare', ['--mount', 'sh', '-c', shell, 'sh', directory, script], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

function startIn(stage: Stage, command: readonly string[], settings: Readonly<Record<string, string>>): ChildProcess {
  const { directory, user, volumes, directoryOfWork, environment } = stage
  // A volume begins with what the image has at its place, and stays when the program ends.
  const binds = volumes.map((path) => {
    const volume = join(directory, 'volumes', path)
    mkdirSync(join(volume, '..'), { recursive: true })
    return `[ -e "${volume}" ] || cp -a "$1/root${path}" "${volume}"\nmount --bind "${volume}" "$1/root${path}"\n`
  })
  const drop = `setpriv --reuid=${user} --regid=${user} --clear-groups --bounding-set=-all --no-new-privs`
  const shell = [
    `${MOUNTS}${binds.join('')}mount -o remount,bind,ro "$1/root"`,
    'root="$1"; shift',
    `exec chroot "$root/root" ${drop} /bin/sh -c 'cd ${directoryOfWork} && exec "$@"' sh "$@"`,
  ]
  return spawn('unshare', ['--mount', 'sh', '-c', shell.join('\n'), 'sh', directory, ...command], {
    env: { ...environment, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}
