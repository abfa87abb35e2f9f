/** Readers of CBOR and of what is signed: receipts, chains of them, manifests, capability tokens. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import {
  anyBytes,
  anyCharacter,
  anyText,
  assertPlain,
  changedBytes,
  changedJson,
  changedTexts,
  declared,
  HOSTILE_BYTES,
  runs,
} from '../../../testing/decoding.ts'
import { assertLinear } from '../../../testing/linear.ts'
import { nodeVerifiers as verify } from '../../../testing/nodeVerifiers.ts'
import capabilities from '../../../vectors/capabilities.json' with { type: 'json' }
import manifests from '../../../vectors/manifests.json' with { type: 'json' }
import moves from '../../../vectors/moves.json' with { type: 'json' }
import receipts from '../../../vectors/receipts.json' with { type: 'json' }
import { fromBase64, fromHex } from './bytes.ts'
import { CapabilityError, verifyCapability } from './capability.ts'
import { CborError, type CborValue, decodeCbor, decodeCborPrefix, encodeCbor } from './cbor.ts'
import { checkChain } from './chain.ts'
import { CoseError, decodeCose, verifyCose } from './cose.ts'
import { parseAlbumId, parseInstant, parseJti } from './ids.ts'
import { decodeKeyChange, KeyChangeError, type SignedKeyChange, verifyKeyChange } from './keyChange.ts'
import { decodeManifest, MANIFEST_CONTENT_TYPE, ManifestError, verifyManifest } from './manifest.ts'
import { decodeReceipt, RECEIPT_CONTENT_TYPE, ReceiptError, readReceipt, verifyReceipt } from './receipt.ts'
import * as manifestPayload from './signed/manifestPayload.ts'
import * as receiptPayload from './signed/receiptPayload.ts'
import { known } from './testing/known.ts'

const validReceipts = receipts.valid.map(({ receipt_cbor }) => fromBase64(receipt_cbor))
const validManifests = manifests.valid.map(({ provenance }) => fromBase64(provenance))
const manifestPayloads = manifests.valid.map(({ payload }) => fromHex(payload))
const receiptPayloads = [fromHex(receipts.payload_bytes_of_the_first)]
const keyChanges = moves.statements.map(({ leave, arrive }) => ({
  leave: fromBase64(leave),
  arrive: fromBase64(arrive),
}))
const [oldKey, newKey] = moves.keys.map((key) => fromBase64(key.public))
const keyOf = (keys: readonly { readonly public: string }[]) => fromBase64(known(keys[0]).public)

describe('decodeCbor', () => {
  const anyCbor = fc.letrec<{ value: CborValue }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.string({ unit: anyCharacter, maxLength: 20 }).map((text) => text.toWellFormed().replace(/^\uFEFF+/u, '')),
      fc.maxSafeInteger(),
      fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => !Number.isInteger(value)),
      fc.boolean(),
      fc.constant(null),
      fc.uint8Array({ maxLength: 20 }),
      fc.array(tie('value'), { maxLength: 4 }),
      fc
        .uniqueArray(fc.tuple(fc.oneof(fc.string({ maxLength: 6 }), fc.maxSafeNat()), tie('value')), {
          selector: ([key]) => key,
          maxLength: 4,
        })
        .map((pairs) => new Map(pairs)),
    ),
  })).value

  it('reads back what was encoded', () => {
    fc.assert(
      fc.property(anyCbor, (value) =>
        assert.deepEqual(encodeCbor(decodeCbor(encodeCbor(value)) as CborValue), encodeCbor(value)),
      ),
      runs(300),
    )
  })

  it('throws CborError only, and accepts one encoding of each value', async () => {
    const inputs = fc.oneof(
      anyBytes,
      changedBytes(...receiptPayloads, ...manifestPayloads),
      changedBytes(...validReceipts),
    )
    await fc.assert(
      fc.asyncProperty(inputs, async (bytes) => {
        const value = await declared(
          () => decodeCbor(bytes, 98),
          (error) => error instanceof CborError,
        )
        if (value !== undefined) assert.deepEqual(encodeCbor(value as CborValue), Uint8Array.from(bytes))
        const prefix = await declared(
          () => decodeCborPrefix(bytes),
          (error) => error instanceof CborError,
        )
        if (prefix !== undefined)
          assert.deepEqual(
            Uint8Array.from([...encodeCbor(prefix.value as CborValue), ...prefix.rest]),
            Uint8Array.from(bytes),
          )
      }),
      runs(300),
    )
  })

  it('keeps members of a map apart from the prototypes of objects', () => {
    const hostile = new Map<string, CborValue>([
      ['__proto__', new Map([['polluted', true]])],
      ['constructor', 1],
    ])
    assertPlain(decodeCbor(encodeCbor(hostile)))
    for (const read of [receiptPayload.decodePayload, manifestPayload.decodePayload])
      assert.throws(() => read(encodeCbor(hostile)), { reason: 'unknown_field' })
  })
})

interface Signed {
  readonly valid: readonly Uint8Array[]
  readonly isDeclared: (error: unknown) => boolean
  /** Without and with its signatures. Throws for anything but the one form. */
  readonly read: (bytes: Uint8Array) => unknown
  readonly verified: (bytes: Uint8Array) => Promise<unknown>
}

const verifiedChange = (change: SignedKeyChange) =>
  verifyKeyChange(change, { oldKey: known(oldKey), newKey: known(newKey), verify })

const signed: Readonly<Record<string, Signed>> = {
  'decodeReceipt, readReceipt and verifyReceipt': {
    valid: validReceipts,
    isDeclared: (error) => error instanceof ReceiptError,
    read: (bytes) => [decodeReceipt(bytes), readReceipt(bytes)],
    verified: (receiptCbor) => verifyReceipt({ receiptCbor, publicKey: keyOf(receipts.keys), verify }),
  },
  'decodeManifest and verifyManifest': {
    valid: validManifests,
    isDeclared: (error) => error instanceof ManifestError,
    read: decodeManifest,
    verified: (provenance) => verifyManifest({ provenance, publicKey: keyOf(manifests.keys), verify }),
  },
  'decodeKeyChange and verifyKeyChange, of the message of the old key': {
    valid: keyChanges.map(({ leave }) => leave),
    isDeclared: (error) => error instanceof KeyChangeError,
    read: (leave) => decodeKeyChange({ leave, arrive: known(keyChanges[0]).arrive }),
    verified: (leave) => verifiedChange({ ...known(keyChanges[0]), leave }),
  },
  'decodeKeyChange and verifyKeyChange, of the message of the new key': {
    valid: keyChanges.map(({ arrive }) => arrive),
    isDeclared: (error) => error instanceof KeyChangeError,
    read: (arrive) => decodeKeyChange({ leave: known(keyChanges[0]).leave, arrive }),
    verified: (arrive) => verifiedChange({ ...known(keyChanges[0]), arrive }),
  },
  'decodeCose and verifyCose': {
    valid: validReceipts,
    isDeclared: (error) => error instanceof CoseError,
    read: (bytes) => [RECEIPT_CONTENT_TYPE, MANIFEST_CONTENT_TYPE].map((type) => decodeCose(bytes, type)),
    verified: async (bytes) => verifyCose(decodeCose(bytes, RECEIPT_CONTENT_TYPE), keyOf(receipts.keys), verify),
  },
}

for (const [name, { valid, isDeclared, read, verified }] of Object.entries(signed))
  describe(name, () => {
    it('accept one of the vectors', async () => {
      await verified(known(valid[0]))
    })

    it('throw their declared error only, and verify no changed byte', async () => {
      await fc.assert(
        fc.asyncProperty(fc.oneof(anyBytes, changedBytes(...valid)), async (bytes) => {
          await declared(() => read(bytes), isDeclared)
          await assert.rejects(verified(bytes), isDeclared)
        }),
        runs(150),
      )
    })
  })

const payloads = {
  'decodePayload, of receipts': { ...receiptPayload, valid: receiptPayloads, fault: ReceiptError },
  'decodePayload, of manifests': { ...manifestPayload, valid: manifestPayloads, fault: ManifestError },
}
for (const [name, { valid, fault, decodePayload }] of Object.entries(payloads))
  describe(name, () => {
    it('throws its declared error only', async () => {
      await fc.assert(
        fc.asyncProperty(fc.oneof(anyBytes, changedBytes(...valid)), async (bytes) => {
          const payload = await declared<unknown>(
            () => decodePayload(bytes),
            (error) => error instanceof fault,
          )
          if (payload !== undefined) assertPlain(payload)
        }),
        runs(300),
      )
    })
  })

describe('encodePayload and decodePayload', () => {
  it('accept only bytes that they would write', async () => {
    await fc.assert(
      fc.asyncProperty(changedBytes(...receiptPayloads), async (bytes) => {
        const payload = await declared(
          () => receiptPayload.decodePayload(bytes),
          (error) => error instanceof ReceiptError,
        )
        if (payload !== undefined) assert.deepEqual(receiptPayload.encodePayload(payload), Uint8Array.from(bytes))
      }),
      runs(300),
    )
    await fc.assert(
      fc.asyncProperty(changedBytes(...manifestPayloads), async (bytes) => {
        const read = await declared(
          () => manifestPayload.decodePayload(bytes),
          (error) => error instanceof ManifestError,
        )
        if (read !== undefined) assert.deepEqual(manifestPayload.encodePayload(read), Uint8Array.from(bytes))
      }),
      runs(300),
    )
  })
})

describe('checkChain', () => {
  const log = receipts.chains.flatMap(({ receipts: list }) => list.map((text) => decodeReceipt(fromBase64(text))))

  it('never throws, and names the first receipt that does not continue', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...log), { maxLength: 6 }), fc.boolean(), (list, whole) => {
        const broken = checkChain(list, { whole })
        if (broken === undefined) return
        assert.ok(broken.index > 0 && broken.index < list.length)
        assert.equal(checkChain(list.slice(0, broken.index), { whole }), undefined)
      }),
      runs(300),
    )
  })
})

describe('verifyCapability', () => {
  const { issuer, peer, album_id, now, revocations } = capabilities.given
  const question = {
    issuer,
    peer,
    publicKey: fromBase64(capabilities.signing_key),
    albumId: known(parseAlbumId(album_id)),
    now: known(parseInstant(now)),
    verify: verify.ed25519,
  }
  const list = {
    ...revocations,
    revoked: revocations.revoked.map(({ jti, expires_at }) => ({ jti: known(parseJti(jti)), expires_at })),
  }
  const tokens = capabilities.valid.map(({ token }) => token)
  const isDeclared = (error: unknown) => error instanceof CapabilityError

  it('throws CapabilityError only, and accepts no changed token', async () => {
    await verifyCapability({ ...question, revocations: list, token: known(tokens[0]) })
    await fc.assert(
      fc.asyncProperty(fc.oneof(anyText, changedTexts(...tokens)), async (token) => {
        await assert.rejects(verifyCapability({ ...question, revocations: list, token }), isDeclared)
      }),
      runs(300),
    )
  })

  it('reads claims of any members without the prototypes of objects', async () => {
    const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const claims = known(capabilities.valid[0]).claims
    await fc.assert(
      fc.asyncProperty(changedJson(claims), async (changed) => {
        const token = `${part({ alg: 'EdDSA', typ: 'capability+jwt' })}.${part(changed)}.${'A'.repeat(86)}`
        await assert.rejects(verifyCapability({ ...question, revocations: list, token }), isDeclared)
        // The same for a signer that everyone trusts: the claims are then all that is left to refuse.
        await declared(
          () => verifyCapability({ ...question, verify: () => true, revocations: list, token }),
          isDeclared,
        )
      }),
      runs(200),
    )
  })
})

const ofBytes: Readonly<Record<string, (bytes: Uint8Array) => unknown>> = {
  decodeCbor: (bytes) => decodeCbor(bytes),
  decodeCborPrefix: (bytes) => decodeCborPrefix(bytes),
  decodeReceipt,
  decodeManifest,
  decodeKeyChange: (leave) => decodeKeyChange({ leave, arrive: leave }),
  'decodePayload, of manifests': manifestPayload.decodePayload,
  'decodePayload, of receipts': receiptPayload.decodePayload,
}
for (const [name, run] of Object.entries(ofBytes))
  describe(`the work of ${name}`, () => {
    for (const [shape, input] of Object.entries(HOSTILE_BYTES))
      it(`rises with the length of ${shape}`, () => assertLinear({ input, run }))
  })
