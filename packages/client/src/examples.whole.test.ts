/** The clients of `examples/`, which do not use this library, beside it: what one side makes, the other one opens. */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer, text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { sendFile } from '../../../testing/people.ts'
import { logIn } from './account.ts'
import { openLink } from './guest.ts'
import { nodeEnvironment } from './node/nodeEnvironment.ts'
import type { Owner } from './owner.ts'
import { checkRecoveryWords } from './recovery.ts'
import { sharedServer } from './testing/sharedServer.ts'

const EXAMPLES = fileURLToPath(new URL('../../../examples', import.meta.url))
const CHECK = fileURLToPath(new URL('../../protocol/examples/checkReceipt.mjs', import.meta.url))
const PASSWORD = 'Eine längere Zeile für uns'
const PASSPHRASE = 'Open – Sesame'

const { proxy } = await sharedServer()
const email = `${randomUUID()}@example.org`
let directory: string
let words: string
/** The same account in this library. */
let owner: Owner

interface Ended {
  readonly code: number | null
  readonly output: Buffer
  readonly errors: string
}

async function run(command: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const own = {
    BLINDKEEP_URL: proxy.url,
    BLINDKEEP_EMAIL: ` ${email.toUpperCase()}`,
    BLINDKEEP_PASSWORD: PASSWORD,
    no_proxy: '*',
  }
  const child = spawn(command, args, { cwd: directory, env: { ...process.env, ...own, ...env } })
  child.stdin.end()
  const closed = once(child, 'close')
  const [output, errors] = await Promise.all([buffer(child.stdout), text(child.stderr)])
  await closed
  return { code: child.exitCode, output, errors } satisfies Ended
}

/** What it prints. */
async function succeed(ending: Promise<Ended>): Promise<Buffer> {
  const { code, output, errors } = await ending
  assert.equal(code, 0, errors)
  return output
}

const example = (name: string, args: readonly string[], env?: Readonly<Record<string, string>>) =>
  run(process.execPath, [join(EXAMPLES, name), ...args], env)
const asOwner = async (args: readonly string[], env?: Readonly<Record<string, string>>) =>
  (await succeed(example('owner.mjs', args, env))).toString().trim()

async function signedIn(): Promise<Owner> {
  const { owner: now } = await logIn({ baseUrl: proxy.url, email, password: PASSWORD, environment: nodeEnvironment })
  assert.ok(now)
  return now
}

async function fileOf(bytes: number): Promise<{ readonly name: string; readonly content: Buffer }> {
  const [name, content] = [`${randomUUID()}.bin`, randomBytes(bytes)]
  await writeFile(join(directory, name), content)
  return { name, content }
}

/** Why Python cannot run the example here; undefined if it can. */
function lackOfPython(): string | undefined {
  const needed =
    'from cryptography.hazmat.primitives.asymmetric import mldsa, mlkem; mlkem.MLKEM768PrivateKey.generate()'
  const { status } = spawnSync('python3', ['-c', needed])
  return status === 0 ? undefined : 'needs python3 with cryptography 48 or newer'
}

const guests = [
  { name: 'guest.mjs', lack: undefined, send: (args: readonly string[]) => example('guest.mjs', args) },
  {
    name: 'guest.py',
    lack: lackOfPython(),
    send: (args: readonly string[]) => run('python3', [join(EXAMPLES, 'guest.py'), ...args]),
  },
]

before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'blindkeep-examples-'))
  words = await asOwner(['register'])
  owner = await signedIn()
})
after(() => rm(directory, { recursive: true }))

describe('owner.mjs', () => {
  it('registers an account whose words this library accepts', async () => {
    const { accountKey } = owner
    await checkRecoveryWords({ baseUrl: proxy.url, email, words, accountKey, environment: nodeEnvironment })
  })

  it('makes the link that this library makes of the same account', async () => {
    const url = await asOwner(['link', 'for the office', 'Your tax papers'])
    const link = (await owner.listLinks()).find((one) => one.url === url)
    assert.deepEqual([link?.label, link?.title], ['for the office', 'Your tax papers'])
  })

  it('makes a link whose mistyped secret this library notices, also without a title', async () => {
    const url = await asOwner(['link'])
    await openLink(url)
    await assert.rejects(openLink(mistyped(url)), { name: 'LinkError', reason: 'words_altered' })
  })

  it('lists, opens and adopts what a guest sends with this library', async () => {
    const link = await owner.createLink()
    const content = randomBytes(1_500_000)
    await sendFile(link.url, content, { name: 'a.bin', note: 'n'.repeat(3000), sender: 'Ada' })
    const line = (await asOwner(['inbox'])).split('\n').find((one) => one.includes('"a.bin"'))
    const { drop_id: dropId, sender, size }: Record<string, string> = JSON.parse(line ?? '{}')
    assert.deepEqual([sender, size], ['Ada', content.length])
    assert.ok(dropId !== undefined && content.equals(await succeed(example('owner.mjs', ['open', dropId]))))
    await assertKept(await asOwner(['adopt', dropId]), content, 'a.bin')
  })

  it('uploads a file', async () => {
    const { name, content } = await fileOf(1_500_000)
    await assertKept(await asOwner(['upload', name]), content, name)
    assert.deepEqual(
      (await owner.albums()).map((album) => album.name),
      ['Kept'],
    )
  })

  it('sets a new password with the words', async () => {
    const BLINDKEEP_PASSWORD = 'another sentence altogether'
    await asOwner(['recover', words], { BLINDKEEP_PASSWORD })
    await asOwner(['inbox'], { BLINDKEEP_PASSWORD })
    assert.match((await example('owner.mjs', ['inbox'])).errors, /error\.auth\.invalid_credentials/)
    await asOwner(['recover', words])
  })

  it('opens what a revoked device has signed only with consent', async () => {
    const { name, content } = await fileOf(1000)
    const assetId = await asOwner(['upload', name])
    const now = await signedIn()
    const { signed } = await now.openAsset(assetId)
    assert.ok(signed)
    await now.revokeDevice(signed.deviceId)
    const { code, output, errors } = await example('owner.mjs', ['read', assetId])
    assert.deepEqual([code, output.length], [1, 0])
    assert.match(errors, /signed by a device that was revoked/)
    assert.ok(content.equals(await succeed(example('owner.mjs', ['read', assetId, 'revoked']))))
  })
})

/** With another link secret. */
function mistyped(url: string): string {
  const at = url.indexOf('#') + 10
  return `${url.slice(0, at)}${url[at] === 'A' ? 'B' : 'A'}${url.slice(at + 1)}`
}

/** Both sides open the asset. */
async function assertKept(assetId: string, content: Buffer, name: string): Promise<void> {
  assert.ok(content.equals(await succeed(example('owner.mjs', ['read', assetId]))))
  const opened = await owner.openAsset(assetId)
  assert.ok(opened.signed)
  assert.equal(opened.name, name)
  assert.ok(content.equals(Buffer.from(await new Response(opened.content).arrayBuffer())))
}

describe('a guest', () => {
  let asked: string
  /** This library's, which the tests above know to be as `owner.mjs` makes them. */
  let urls: readonly string[]
  /** The recovery has ended the session of this library. */
  let owner: Owner
  before(async () => {
    asked = await asOwner(['link', '', 'For you', 'Bo'], { BLINDKEEP_PASSPHRASE: PASSPHRASE })
    owner = await signedIn()
    urls = await Promise.all([owner.createLink(), owner.createLink()].map(async (made) => (await made).url))
  })

  for (const guest of guests)
    describe(guest.name, { skip: guest.lack ?? false }, () => {
      it('sends a file through a link with a title and a passphrase, and checks its receipt', async () => {
        const { name, content } = await fileOf(2_500_000)
        assert.notEqual((await guest.send([mistyped(asked), name, 'open sesame'])).code, 0)
        const output = (await succeed(guest.send([asked, name, 'open sesame']))).toString()
        assert.match(output, /"title": ?"For you"/)
        const drop = (await owner.inbox()).find(({ file }) => file?.name === name)
        assert.ok(drop)
        const opened = await owner.openDrop(drop)
        assert.ok(content.equals(Buffer.from(await new Response(opened.content).arrayBuffer())))
        const receipt = join(directory, `${name}.receipt.json`)
        assert.match((await succeed(run(process.execPath, [CHECK, proxy.url, receipt]))).toString(), /\nholds\n$/)
        assert.ok(output.includes(JSON.parse(await readFile(receipt, 'utf8')).ciphertext_hash))
      })

      it('seals nothing if the server names another key than the link', async () => {
        const [url = '', other = ''] = urls
        const [{ name }, swapped] = [await fileOf(10), `${url.split('#')[0]}#${other.split('#')[1]}`]
        const { code, errors } = await guest.send([swapped, name])
        assert.deepEqual([code, /another key/.test(errors)], [1, true], errors)
      })

      it('refuses a receipt that the server has changed', async () => {
        const [[url = ''], { name }] = [urls, await fileOf(10)]
        proxy.tamper({
          matches: ({ method, path }) => method === 'GET' && path.endsWith('/receipt'),
          answer: (message) => {
            const body = JSON.parse(message.body.toString())
            const cbor = Buffer.from(body.receipt_cbor, 'base64')
            cbor[cbor.length - 1] = (cbor.at(-1) ?? 0) ^ 1
            return { ...message, body: Buffer.from(JSON.stringify({ ...body, receipt_cbor: cbor.toString('base64') })) }
          },
        })
        assert.notEqual((await guest.send([url, name])).code, 0)
      })
    })
})
