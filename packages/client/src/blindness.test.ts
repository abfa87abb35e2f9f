/** Searches for secrets in everything that the server stores, logs and answers. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { uuidBytes } from '@blindkeep/protocol/bytes'
import { ed25519 } from '@noble/curves/ed25519.js'
import { quickEnvironment as environment, openedDrops } from '../../../testing/people.ts'
import { type RunningServer, startServer } from '../../../testing/startServer.ts'
import { newDevice } from './account/device.ts'
import { secretOfWords } from './account/recoveryWords.ts'
import { logIn, registerOwner } from './account.ts'
import { openLink, parseLink } from './guest.ts'
import type { DescribedDrop, Owner } from './owner.ts'
import { newRecoveryWords } from './recovery.ts'
import {
  albumKey,
  assetKey,
  assetWrapKey,
  passphraseSalt,
  recoveryKeySeed,
  recoveryWrapKey,
  signInKeySeed,
} from './seal/derive.ts'
import { normalPassphrase } from './seal/passphraseSpellings.ts'
import { sourceOfBytes } from './seal/source.ts'
import { send } from './send/send.ts'
import { fetchReceipt } from './verify/audit.ts'

/** Searched in every way in which it may be written: raw, hex, and base64 with and without padding. */
interface Secret {
  readonly name: string
  readonly bytes: Uint8Array
}

const secrets: Secret[] = []
const answers: string[] = []
let server: RunningServer
let stored = Buffer.alloc(0)

const text = (name: string, value: string): string => {
  secrets.push({ name, bytes: Buffer.from(value) })
  return value
}
const unique = (name: string) => text(name, `${name.replaceAll(' ', '-')}-${randomBytes(9).toString('hex')}`)

before(async () => {
  server = await startServer({ env: { LOG_LEVEL: 'debug' } })
  const owner = await account()
  const passphrase = unique('the passphrase')
  const words = { title: unique('the title'), message: unique('the message') }
  const link = await owner.createLink({ label: unique('the label'), ...words, passphrase, caps: { maxFileCount: 5 } })
  const [, fragment = ''] = link.url.split('#')
  text('the fragment', fragment)
  await dropThrough(link.url, passphrase)
  const drops = await openedDrops(owner)
  assert.equal(drops.length, 1)
  answers.push(JSON.stringify(await rawAnswers(owner, ['/v1/drops'])))
  await keepIn(owner, drops)
  stored = Buffer.concat(await Promise.all(await filesBelow(server.dataDir)))
})
after(() => server.stop())

/** The server keeps a hash even of the public key. */
function signingKey(name: string, seed: Uint8Array): void {
  secrets.push({ name: `the seed of ${name}`, bytes: seed })
  secrets.push({ name: `${name}, public`, bytes: ed25519.getPublicKey(seed) })
}

async function account(): Promise<Owner> {
  const email = `${randomBytes(6).toString('hex')}@example.org`
  const password = unique('the password')
  const masterOfPassword: typeof environment.masterOfPassword = async (...inputs) => {
    const master = await environment.masterOfPassword(...inputs)
    secrets.push({ name: 'the master secret', bytes: master })
    signingKey('the sign-in key', signInKeySeed(master))
    return master
  }
  const person = { baseUrl: server.url, email, password, environment: { ...environment, masterOfPassword } }
  const recovery = newRecoveryWords()
  await registerOwner({ ...person, recovery })
  const words = text('the recovery words', (await recovery.confirm()).join(' '))
  const recoverySecret = await secretOfWords(words)
  secrets.push({ name: 'the recovery secret', bytes: recoverySecret })
  secrets.push({ name: 'the recovery wrapping key', bytes: recoveryWrapKey(recoverySecret) })
  signingKey('the recovery key', recoveryKeySeed(recoverySecret))
  const { owner } = await logIn(person)
  assert.ok(owner)
  secrets.push({ name: 'the account key', bytes: owner.accountKey })
  const { accessToken, refreshToken } = owner.tokens()
  text('the access token', accessToken)
  text('the refresh token', refreshToken)
  secrets.push({ name: 'the refresh token’s bytes', bytes: Buffer.from(refreshToken, 'base64url') })
  return owner
}

async function dropThrough(url: string, passphrase: string): Promise<void> {
  const source = sourceOfBytes(Buffer.from(unique('the content').repeat(50)))
  const link = await openLink(url, environment)
  const facts = {
    name: unique('the name'),
    type: `application/x-${unique('the type')}`,
    note: unique('the note'),
    sender: unique('the sender'),
  }
  const state = await link.prepare({ source, passphrase: normalPassphrase(passphrase), ...facts })
  const { linkSecret } = parseLink(url).fragment
  secrets.push({ name: 'the link secret', bytes: linkSecret })
  secrets.push({ name: 'the drop’s key', bytes: Buffer.from(state.key, 'base64') })
  secrets.push({
    name: 'the passphrase’s proof',
    bytes: await environment.passphraseProof(
      normalPassphrase(passphrase),
      passphraseSalt(Buffer.from(state.opaqueId, 'hex'), linkSecret),
    ),
  })
  const landed = await send({ state, source })
  answers.push(
    JSON.stringify(await fetchReceipt({ custody: { ...landed, baseUrl: server.url, opaqueId: state.opaqueId } })),
  )
}

/** An album with a file of the owner and the drop: their names, and every key that opens or signs them. */
async function keepIn(owner: Owner, drops: readonly DescribedDrop[]): Promise<void> {
  const device = newDevice()
  secrets.push({ name: 'the device’s Ed25519 key', bytes: device.secret.subarray(17, 49) })
  secrets.push({ name: 'the device’s ML-DSA-65 seed', bytes: device.secret.subarray(49) })
  await owner.addDevice(device)
  const { albumId: album } = await owner.createAlbum({ name: unique('the album’s name') })
  const upload = {
    source: sourceOfBytes(Buffer.from(unique('the file').repeat(50))),
    name: unique('the file’s name'),
    type: `application/x-${unique('the file’s type')}`,
    note: unique('the file’s note'),
  }
  const { assetId } = await owner.upload({ ...upload, album, device })
  const ofAlbum = albumKey(owner.accountKey, uuidBytes(album), 1)
  secrets.push({ name: 'the album’s key', bytes: ofAlbum })
  secrets.push({ name: 'the file’s key', bytes: assetKey(ofAlbum, uuidBytes(assetId)) })
  const assetIds = [assetId]
  for (const drop of drops) assetIds.push((await owner.adoptDrop(drop, { album, device })).assetId)
  for (const id of assetIds) secrets.push({ name: 'a wrapping key', bytes: assetWrapKey(ofAlbum, uuidBytes(id)) })
  const paths = assetIds.flatMap((id) => [`/v1/assets/${id}`, `/v1/assets/${id}/receipts`])
  answers.push(
    JSON.stringify(await rawAnswers(owner, ['/v1/drops/links', '/v1/account', '/v1/albums', '/v1/devices', ...paths])),
  )
}

async function rawAnswers(owner: Owner, paths: readonly string[]): Promise<unknown> {
  const authorization = `Bearer ${owner.tokens().accessToken}`
  const asked = paths.map((path) => fetch(server.url + path, { headers: { authorization } }))
  return Promise.all((await Promise.all(asked)).map((answer) => answer.json()))
}

async function filesBelow(directory: string): Promise<Promise<Buffer>[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => readFile(join(entry.parentPath, entry.name)))
}

function written({ bytes }: Secret): readonly Buffer[] {
  const buffer = Buffer.from(bytes)
  const base64 = buffer.toString('base64').replace(/=+$/, '')
  // The last character of base64 depends on the following bytes.
  const texts = [
    buffer.toString('hex'),
    base64.slice(0, -1),
    buffer.toString('base64url').slice(0, -1),
    JSON.stringify(buffer.toString('utf8')).slice(1, -1),
  ]
  return [buffer, ...texts.map((form) => Buffer.from(form))]
}

const holds = (place: Buffer, secret: Secret): boolean => written(secret).some((form) => place.includes(form))

describe('a secret', () => {
  it('is nowhere on the server’s disk: neither the guest’s data nor the owner’s names and keys', () => {
    assert.ok(stored.length > 10_000, 'there is data to search')
    assert.deepEqual(
      secrets.filter((secret) => holds(stored, secret)).map(({ name }) => name),
      [],
    )
  })

  it('is nowhere in the log at level debug, and neither is the opaque id of a link', async () => {
    const log = Buffer.from(server.log())
    assert.ok(log.includes('/d/:opaque_id'), 'requests are logged by their pattern')
    assert.deepEqual(
      secrets.filter((secret) => holds(log, secret)).map(({ name }) => name),
      [],
    )
    const opaqueIds = [...answers.join().matchAll(/"opaque_id":"([0-9a-f]{32})"/g)].map(([, id = '']) => id)
    assert.ok(opaqueIds.length > 0)
    assert.deepEqual(
      opaqueIds.filter((id) => log.includes(id)),
      [],
    )
  })

  it('is nowhere in the server’s answers', () => {
    const answered = Buffer.from(answers.join('\n'))
    assert.deepEqual(
      secrets.filter((secret) => holds(answered, secret)).map(({ name }) => name),
      [],
    )
  })

  it('would be found by this search', () => {
    for (const secret of secrets) {
      for (const form of written(secret))
        assert.ok(holds(Buffer.concat([Buffer.from('x'), form, Buffer.from('y')]), secret), secret.name)
    }
    assert.ok(secrets.length > 20, 'there are secrets to search for')
    assert.ok(
      stored.includes(Buffer.from('application/octet-stream')),
      'the declared content type is stored in plain text',
    )
  })
})
