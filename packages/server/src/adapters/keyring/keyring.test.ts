import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { keyId } from '@blindkeep/protocol/keys'
import { verifyReceipt } from '@blindkeep/protocol/receipt'
import { type Keyring, WrongMasterSecret } from '../../ports/keyring.ts'
import { payload, verifiers } from '../../testing/receipts.ts'
import { openKeyring } from './keyring.ts'

interface World {
  readonly keyring: Keyring
  readonly directory: string
  readonly file: string
  reopen(): Promise<Keyring>
}

function inWorld(work: (world: World) => Promise<void>): () => Promise<void> {
  return async () => {
    const directory = mkdtempSync(join(tmpdir(), 'blindkeep-keyring-'))
    const file = join(directory, 'new', 'secrets', 'master.secret')
    const reopen = () => openKeyring({ masterSecretFile: file, createIfMissing: false })
    try {
      await work({
        keyring: await openKeyring({ masterSecretFile: file, createIfMissing: true }),
        directory,
        file,
        reopen,
      })
    } finally {
      rmSync(directory, { recursive: true })
    }
  }
}

async function foreignKeyring(directory: string): Promise<Keyring> {
  return openKeyring({ masterSecretFile: join(directory, 'other.secret'), createIfMissing: true })
}

describe('the master secret', () => {
  it(
    'is created at the first start, readable by its owner only, without other files',
    inWorld(async ({ file }) => {
      assert.equal(statSync(file).mode & 0o777, 0o600)
      assert.match(readFileSync(file, 'latin1'), /^[A-Za-z0-9+/]{43}=\n$/)
      assert.deepEqual(readdirSync(join(file, '..')), ['master.secret'])
      assert.equal(statSync(join(file, '..')).mode & 0o777, 0o700)
    }),
  )

  it(
    'is the same for several processes that start simultaneously',
    inWorld(async ({ directory }) => {
      const masterSecretFile = join(directory, 'race', 'master.secret')
      const keyrings = await Promise.all(
        Array.from({ length: 8 }, () => openKeyring({ masterSecretFile, createIfMissing: true })),
      )
      for (const sealed of keyrings.map((keyring) => keyring.seal('x', Buffer.from('secret')))) {
        for (const keyring of keyrings) assert.equal(Buffer.from(keyring.open('x', sealed)).toString(), 'secret')
      }
      assert.deepEqual(readdirSync(join(directory, 'race')), ['master.secret'])
    }),
  )

  it(
    'is not created if it should exist',
    inWorld(async ({ directory }) => {
      const masterSecretFile = join(directory, 'missing')
      await assert.rejects(openKeyring({ masterSecretFile, createIfMissing: false }), /no master secret at .*missing/)
      assert.deepEqual(readdirSync(directory), ['new'])
    }),
  )

  it(
    'is refused with advice if other users may read it',
    inWorld(async ({ file, reopen }) => {
      for (const mode of [0o644, 0o640, 0o604, 0o620, 0o601]) {
        chmodSync(file, mode)
        await assert.rejects(reopen(), /chmod 600/)
      }
      chmodSync(file, 0o400)
      await reopen()
    }),
  )

  it(
    'is read as base64 or hex, with a trailing newline or without',
    inWorld(async ({ keyring, file, reopen }) => {
      const sealed = keyring.seal('x', Buffer.from('secret'))
      const secret = Buffer.from(readFileSync(file, 'latin1'), 'base64')
      const texts = [secret.toString('base64'), secret.toString('hex'), secret.toString('hex').toUpperCase()]
      for (const text of texts.flatMap((each) => [each, `${each}\n`])) {
        writeFileSync(file, text)
        assert.deepEqual(Buffer.from((await reopen()).open('x', sealed)).toString(), 'secret')
      }
    }),
  )

  it(
    'is refused if the file has other contents',
    inWorld(async ({ file, reopen }) => {
      const good = readFileSync(file, 'latin1').trim()
      for (const text of [
        '',
        '\n',
        good.slice(1),
        `${good}\n\n`,
        ` ${good}`,
        `${good}x`,
        'a'.repeat(63),
        'a'.repeat(5_000),
        randomBytes(32).toString('latin1'),
      ]) {
        writeFileSync(file, text)
        await assert.rejects(reopen(), /is not a master secret/)
      }
    }),
  )

  it(
    'does not replace an unreadable file',
    inWorld(async ({ directory }) => {
      mkdirSync(join(directory, 'a directory'), { mode: 0o700 })
      await assert.rejects(
        openKeyring({ masterSecretFile: join(directory, 'a directory'), createIfMissing: true }),
        /EISDIR/,
      )
    }),
  )
})

describe('sealing', () => {
  it(
    'opens secrets of any length that it sealed, also after a restart',
    inWorld(async ({ keyring, reopen }) => {
      const later = await reopen()
      for (const length of [0, 1, 32, 5_000]) {
        const secret = new Uint8Array(randomBytes(length))
        assert.deepEqual(later.open('totp', keyring.seal('totp', secret)), secret)
      }
    }),
  )

  it(
    'never gives the same result twice',
    inWorld(async ({ keyring }) => {
      const sealed = Array.from({ length: 50 }, () =>
        Buffer.from(keyring.seal('x', new Uint8Array(32))).toString('hex'),
      )
      assert.equal(new Set(sealed).size, 50)
    }),
  )

  it(
    'does not open under another name, or another master secret',
    inWorld(async ({ keyring, directory }) => {
      const sealed = keyring.seal('totp', randomBytes(20))
      const foreign = await foreignKeyring(directory)
      for (const name of ['', 'totp ', 'Totp', 'token-key'])
        assert.throws(() => keyring.open(name, sealed), WrongMasterSecret)
      assert.throws(() => foreign.open('totp', sealed), WrongMasterSecret)
    }),
  )

  it(
    'does not open with any bit changed, cut or added',
    inWorld(async ({ keyring }) => {
      const sealed = keyring.seal('x', Buffer.from('secret'))
      for (let bit = 0; bit < sealed.length * 8; bit++) {
        const altered = Uint8Array.from(sealed)
        altered[bit >> 3] = (altered[bit >> 3] ?? 0) ^ (1 << (bit & 7))
        assert.throws(() => keyring.open('x', altered), WrongMasterSecret)
      }
      for (let length = 0; length < sealed.length; length++) {
        assert.throws(() => keyring.open('x', sealed.subarray(0, length)), WrongMasterSecret)
      }
      assert.throws(() => keyring.open('x', Uint8Array.from([...sealed, 0])), WrongMasterSecret)
    }),
  )
})

describe('a MAC', () => {
  it(
    'is the same under the same master secret, after a restart too, and another under another one',
    inWorld(async ({ directory, keyring, reopen }) => {
      const mac = keyring.mac('backup', Buffer.from('a manifest'))
      assert.equal(mac.length, 64)
      assert.deepEqual((await reopen()).mac('backup', Buffer.from('a manifest')), mac)
      assert.notDeepEqual(keyring.mac('backup', Buffer.from('a manifesT')), mac)
      assert.notDeepEqual((await foreignKeyring(directory)).mac('backup', Buffer.from('a manifest')), mac)
    }),
  )
})

describe('attestation keys', () => {
  it(
    'sign so that both halves of the published key verify, also after a restart',
    inWorld(async ({ keyring, reopen }) => {
      const key = keyring.createAttestationKey()
      assert.equal(key.publicKey.length, 1984)
      const signer = (await reopen()).openAttestationKey(key)
      const receipts = await signer.receipts([payload(1), payload(2)], keyId(key.publicKey))
      const { publicKey } = key
      const read = await Promise.all(
        receipts.map(({ receiptCbor }) => verifyReceipt({ receiptCbor, publicKey, verify: verifiers })),
      )
      assert.deepEqual(
        read.map(({ payload: { receipt_seq, prior_receipt_hash } }) => [receipt_seq, prior_receipt_hash]),
        [
          [1, 'a'.repeat(64)],
          [2, receipts[0]?.receiptHash],
        ],
      )
      const { publicKey: another } = keyring.createAttestationKey()
      for (const { receiptCbor } of receipts)
        await assert.rejects(verifyReceipt({ receiptCbor, publicKey: another, verify: verifiers }))
    }),
  )

  it(
    'leave the event loop free while they sign',
    inWorld(async ({ keyring }) => {
      const signer = keyring.openAttestationKey(keyring.createAttestationKey())
      let isSigned = false
      const signing = signer.receipts([payload(1)], keyId(keyring.createAttestationKey().publicKey)).then(() => {
        isSigned = true
      })
      // A signature from this thread would arrive after a few microtasks. One from another thread needs the event
      // loop to turn.
      for (let turn = 0; turn < 100; turn++) await Promise.resolve()
      assert.equal(isSigned, false)
      await signing
    }),
  )

  it(
    'do not open with another public key, or with one half of another',
    inWorld(async ({ keyring }) => {
      const [first, second] = [keyring.createAttestationKey(), keyring.createAttestationKey()]
      const mixed = [
        [...first.publicKey.subarray(0, 32), ...second.publicKey.subarray(32)],
        [...second.publicKey.subarray(0, 32), ...first.publicKey.subarray(32)],
      ]
      for (const publicKey of [
        second.publicKey,
        ...mixed.map((bytes) => Uint8Array.from(bytes)),
        first.publicKey.subarray(0, 1983),
      ]) {
        assert.throws(
          () => keyring.openAttestationKey({ publicKey, sealedPrivateKey: first.sealedPrivateKey }),
          WrongMasterSecret,
        )
      }
    }),
  )

  it(
    'do not open under another master secret, and other secrets do not open as keys',
    inWorld(async ({ keyring, directory }) => {
      const key = keyring.createAttestationKey()
      const foreign = await foreignKeyring(directory)
      assert.throws(() => foreign.openAttestationKey(key), WrongMasterSecret)
      const short = keyring.seal('attestation-key', randomBytes(63))
      for (const sealedPrivateKey of [
        keyring.createTokenKey(),
        keyring.seal('x', randomBytes(64)),
        short,
        new Uint8Array(),
      ]) {
        assert.throws(
          () => keyring.openAttestationKey({ publicKey: key.publicKey, sealedPrivateKey }),
          WrongMasterSecret,
        )
      }
    }),
  )

  it(
    'are stored sealed: neither seed is readable',
    inWorld(async ({ keyring }) => {
      const { sealedPrivateKey } = keyring.createAttestationKey()
      const seeds = Buffer.from(keyring.open('attestation-key', sealedPrivateKey))
      assert.equal(seeds.length, 64)
      for (const seed of [seeds.subarray(0, 32), seeds.subarray(32)])
        assert.equal(Buffer.from(sealedPrivateKey).indexOf(seed), -1)
    }),
  )
})
