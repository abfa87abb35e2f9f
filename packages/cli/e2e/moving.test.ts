/** From this machine to a name: the packed programs in an empty directory, by the READMEs and docs/moving.md alone. */
import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { after, before, it, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { installPacked, type Packed } from '../../../testing/packed.ts'
import { freePort } from '../../../testing/startServer.ts'
import { until } from '../../../testing/until.ts'
import { launchBrowser } from '../../web/e2e/browser.ts'

const run = promisify(execFile)
const CHECKER = fileURLToPath(new URL('../../../conformance/checker/main.ts', import.meta.url))
const DOCUMENT = fileURLToPath(new URL('../../../docs/moving.md', import.meta.url))
const OLD = 'http://127.0.0.1:8080'
/** In the documents. Here another name of this machine, which a proxy needs no certificate for. */
const NEW = 'https://drop.example.org'

let packed: Packed
before(async () => {
  packed = await installPacked()
})
after(() => packed?.remove())

it('brings a stranger, with what they tried, from loopback to a name', async (t) => {
  const port = await freePort()
  const [from, to] = [`http://127.0.0.1:${port}`, `http://localhost:${port}`]
  const cwd = await packed.makeDirectory('keep-moving')
  const shell = async (text: string, home = 'state') => {
    const { environment, programs, user } = packed
    const PATH = `${programs}${delimiter}${environment.PATH}`
    const env = { ...environment, PATH, HOME: cwd, PORT: String(port), BLINDKEEP_HOME: join(cwd, home) }
    const local = text.replaceAll(OLD, from).replaceAll(NEW, to).replaceAll('npx --no-install ', '')
    return (await run('sh', ['-eu', '-c', local], { cwd, env, ...user })).stdout
  }
  const readme = await readFile(join(packed.directory, 'node_modules', 'blindkeep-server', 'README.md'), 'utf8')
  const document = await readFile(DOCUMENT, 'utf8')
  const [, put = '', move = ''] = blocksIn(document.slice(0, document.indexOf('## From one name to another')), 2)
  const [, tried = ''] = /second terminal:\n\n```sh\n([\s\S]*?)```/.exec(readme) ?? []

  const first = await serve(t, { cwd, port })
  assert.ok(
    (await shell(`${tried}\necho second > second.txt\nblindkeep drop "$link" second.txt`)).includes(
      'for your eyes only',
    ),
  )
  const receipt = join(cwd, 'letter.txt.blindkeep-receipt.json')
  const checked = await run(process.execPath, [
    '--disable-warning=ExperimentalWarning',
    CHECKER,
    receipt,
    '--keys',
    from,
  ])
  assert.match(checked.stdout, /^Checked 1 receipt .*\nNo fault found\./)
  await showsItsPages(t, from)
  await ended(first)
  await shell('blindkeep-server backup backup')
  await shell(put)
  await assert.rejects(shell('blindkeep-server'), /belongs to http:\/\/127.*run `.*move`/s)
  // A program has no terminal to answer at.
  const said = await shell(move.replace(/move\n$/, 'move --yes\n'))
  assert.match(said, new RegExp(`${to} leads here.*1 account.*Nothing was changed.*The server is ${to} since`, 's'))
  await shell('blindkeep-server backup backup')

  const second = await serve(t, { cwd, port })
  const signedIn = `export BLINDKEEP_PASSWORD='a long sentence of your own'
    blindkeep login ${NEW} --email owner@example.org
    blindkeep inbox save --all --to again
    cat again/second.txt`
  assert.ok((await shell(signedIn, 'another machine')).endsWith('second\n'))
  await ended(second)
  await shell('blindkeep-server fsck --deep')
})

/** The text of the first blocks of commands, from 1 on. */
function blocksIn(markdown: string, count: number): readonly string[] {
  const blocks = [...markdown.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, text = '']) => text.replace(/^ +/gm, ''))
  assert.equal(blocks.length, count)
  return ['', ...blocks]
}

async function serve(
  t: TestContext,
  { cwd, port }: { readonly cwd: string; readonly port: number },
): Promise<ChildProcess> {
  const child = spawn(join(packed.programs, 'blindkeep-server'), [], {
    cwd,
    env: { ...packed.environment, PORT: String(port) },
    ...packed.user,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  t.after(() => child.kill('SIGKILL'))
  let log = ''
  for (const output of [child.stdout, child.stderr]) output?.setEncoding('utf8').on('data', (more) => (log += more))
  const answers = () =>
    fetch(`http://127.0.0.1:${port}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    )
  await until(
    async () => child.exitCode === null && (await answers()),
    () => log,
  )
  return child
}

async function ended(child: ChildProcess): Promise<void> {
  const exit = once(child, 'exit')
  child.kill('SIGTERM')
  assert.deepEqual(await exit, [0, null])
}

async function showsItsPages(t: TestContext, url: string): Promise<void> {
  const browser = await launchBrowser()
  t.after(() => browser.close())
  const { page, problems, close } = await browser.visit({ url: `${url}/` })
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  assert.deepEqual(problems, [])
  await close()
}
