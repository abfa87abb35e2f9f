/**
 * Runs the blocks of each document in their order, in one shell, so that a later one finds the variables of an earlier
 * one. They run in a new directory that looks like a checkout, with a home of its own, beside a server on which no
 * document has registered the same address before: `http://127.0.0.1:8080` in a block is this server, and the
 * operator's commands are its own. A block fails when a command of it does, also in a pipe, or when curl gets a status
 * of 400 or above.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { COMPILED } from '../../testing/command.ts'
import { type RunningServer, startServer } from '../../testing/startServer.ts'
import type { Block, Document } from './markdown.ts'

const SHOWN_ADDRESS = '127.0.0.1:8080'
/** A document takes some ten seconds. */
const TIMEOUT_MS = 300_000
/** What a checkout has and its owner does not keep. */
const OWN = new Set(['.git', 'data', '.env'])
const ADDRESS = /[\w.]+@example\.org/g
/** To find a program takes npm longer than most of them run. */
const BY_NPM = /\bnpx (?:--no-install )?(?=(?:blindkeep|blindkeep-server|node) )/g

interface Shared {
  readonly server: RunningServer
  /** The addresses that are registered there. */
  readonly taken: Set<string>
}

/** Whether all blocks of all documents have ended well. Prints what they wrote otherwise. */
export async function runDocuments(documents: readonly Document[], root: string): Promise<boolean> {
  const shared: Shared[] = []
  let isWell = true
  try {
    for (const document of documents)
      isWell = (await runBlocks(document, await serverFor(document, shared), root)) && isWell
  } finally {
    for (const { server } of shared) {
      await server.stop()
      await rm(server.dataDir, { recursive: true, force: true })
    }
  }
  return isWell
}

async function serverFor({ blocks }: Document, shared: Shared[]): Promise<RunningServer> {
  const addresses = blocks.flatMap(({ commands }) => commands.match(ADDRESS) ?? [])
  let place = shared.find(({ taken }) => !addresses.some((address) => taken.has(address)))
  if (place === undefined) {
    const dataDir = await mkdtemp(join(tmpdir(), 'blindkeep-docs-data-'))
    const MASTER_SECRET_FILE = join(dataDir, 'secrets', 'master.secret')
    place = { server: await startServer({ dataDir, env: { MASTER_SECRET_FILE } }), taken: new Set() }
    shared.push(place)
  }
  for (const address of addresses) place.taken.add(address)
  return place.server
}

async function runBlocks({ file, blocks }: Document, server: RunningServer, root: string): Promise<boolean> {
  const directory = await mkdtemp(join(tmpdir(), 'blindkeep-docs-'))
  const home = join(directory, '.home')
  await mkdir(home)
  await symlink(server.dataDir, join(directory, 'data'))
  await writeFile(join(home, '.curlrc'), 'fail-with-body\n')
  for (const entry of await readdir(root, { withFileTypes: true })) {
    const [from, to] = [join(root, entry.name), join(directory, entry.name)]
    // A program that follows a link to a file would write beside the file of the repository.
    if (!OWN.has(entry.name)) await (entry.isFile() ? copyFile(from, to) : symlink(from, to))
  }
  try {
    const { status, output } = await runScript(scriptOf(blocks, `127.0.0.1:${server.port}`), {
      cwd: directory,
      env: {
        PATH: `${join(root, 'node_modules', '.bin')}:${dirname(process.execPath)}:${process.env.PATH}`,
        HOME: home,
        LANG: 'C.UTF-8',
        NODE_COMPILE_CACHE: COMPILED,
        npm_config_offline: 'true',
        DATA_DIR: server.dataDir,
        PORT: String(server.port),
      },
    })
    console.log(status === 0 ? `${file}: ran ${blocks.length} blocks` : `${file}: failed\n${output}`)
    return status === 0
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

function scriptOf(blocks: readonly Block[], address: string): string {
  const parts = blocks.map(({ line, commands }) => `BLOCK=${line}\n${commands.replaceAll(SHOWN_ADDRESS, address)}`)
  const start = ['set -eEuo pipefail', `trap 'echo "in the block at line $BLOCK: $BASH_COMMAND"' ERR`]
  return throughNpmOnce([...start, ...parts].join('\n'))
}

/** Lets npm find the first program, as shown; the others run directly, from where npm would find them. */
function throughNpmOnce(script: string): string {
  let calls = 0
  return script.replaceAll(BY_NPM, (shown) => {
    calls += 1
    return calls === 1 ? shown : ''
  })
}

interface Surroundings {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

async function runScript(script: string, { cwd, env }: Surroundings) {
  const path = join(cwd, '.home', 'blocks.sh')
  await writeFile(path, script)
  // A group of its own, so that nothing that a block starts outlives it.
  const child = spawn('bash', [path], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  const end = () => {
    if (child.pid !== undefined)
      try {
        process.kill(-child.pid, 'SIGKILL')
      } catch (error) {
        // The group has ended.
        if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
      }
  }
  const timer = setTimeout(end, TIMEOUT_MS)
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  const [status] = await once(child, 'close')
  clearTimeout(timer)
  end()
  return { status, output }
}
