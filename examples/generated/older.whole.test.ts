/** Clients that generators make of a server's OpenAPI 3.1 go through the loop of a drop. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { after, before, describe, it, type TestContext } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { rolldown } from 'rolldown'
import { isInstalled } from '../../deploy/installed.ts'
import { type RunningServer, startServer } from '../../testing/startServer.ts'
import type { Facts } from './facts.ts'

const HERE = fileURLToPath(new URL('.', import.meta.url))
const MADE = join(HERE, 'made')
const PROGRAMS = join(HERE, 'venv', 'bin')
const COMPILER = fileURLToPath(new URL('../../node_modules/.bin/tsc', import.meta.url))
const lack = existsSync(PROGRAMS) ? false : 'needs examples/generated/venv with requirements.txt (CONTRIBUTING.md)'

const run = promisify(execFile)
const env = {
  ...process.env,
  PATH: `${PROGRAMS}${delimiter}${process.env.PATH}`,
  // For one short run: the second compiler takes longer than what it speeds up.
  JAVA_TOOL_OPTIONS: '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC',
}

describe('clients that are generated from the OpenAPI 3.1 of a server', { skip: lack, concurrency: true }, () => {
  const document = join(MADE, 'openapi-3.1.json')
  let server: RunningServer

  before(async () => {
    server = await startServer()
    await mkdir(MADE, { recursive: true })
    await writeFile(document, await (await fetch(`${server.url}/openapi-3.1.json`)).text())
  })
  after(() => server.stop())

  it('by openapi-python-client take a file from the link to the receipt', async () => {
    const path = await emptied('openapiPython')
    // Its linter would only make it look better.
    const config = join(MADE, 'openapiPython.yaml')
    await writeFile(config, 'post_hooks: []\n')
    const options = [
      ...['--path', document, '--output-path', path, '--config', config],
      ...['--meta', 'none', '--overwrite', '--fail-on-warning'],
    ]
    await run('openapi-python-client', ['generate', ...options], { env }).catch(({ stdout }) => assert.fail(stdout))
    const facts = factsFor(server)
    const told = { ...facts, sealed: Buffer.from(facts.sealed).toString('base64') }
    const started = run('python', ['-W', 'error', join(HERE, 'older', 'story.py')], {
      env: { ...env, PYTHONPATH: HERE },
    })
    started.child.stdin?.end(JSON.stringify(told))
    const receipt = JSON.parse((await started).stdout)
    assert.deepEqual([receipt.ciphertext_hash, receipt.size], [facts.hash, facts.sealed.length])
  })

  it('by openapi-generator compile strictly, and take a file from the link to the receipt', async (t: TestContext) => {
    if (!isInstalled('java', t)) return
    const path = await emptied('openapiGenerator')
    await run('openapi-generator-cli', ['generate', '-i', document, '-g', 'typescript-fetch', '-o', path], { env })
    await run(COMPILER, ['-p', join(HERE, 'older')]).catch(({ stdout }) => assert.fail(stdout))
    // What it makes imports files without their extension.
    const bundle = await rolldown({ input: join(HERE, 'older', 'story.ts'), platform: 'node' })
    const file = join(MADE, 'older.mjs')
    await bundle.write({ file })
    const { story } = await import(pathToFileURL(file).href)
    const facts = factsFor(server)
    assert.deepEqual(await story(facts), { ciphertext_hash: facts.hash, size: facts.sealed.length })
  })
})

async function emptied(name: string): Promise<string> {
  const path = join(MADE, name)
  await rm(path, { recursive: true, force: true })
  return path
}

function factsFor({ url }: RunningServer): Facts {
  const sealed = new Uint8Array(randomBytes(1000))
  return {
    baseUrl: url,
    email: `${randomUUID()}@example.org`,
    opaqueId: randomBytes(16).toString('hex'),
    sealed,
    hash: createHash('sha256').update(sealed).digest('hex'),
    kemCt: Buffer.alloc(1120).toString('base64'),
  }
}
