/** Readers of sealed and signed bytes. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import { concatBytes, fromBase64, fromHex, toBase64 } from '@blindkeep/protocol/bytes'
import { type CborValue, encodeCbor } from '@blindkeep/protocol/cbor'
import { parseAlbumId, parseAssetId, parseSha256Hex } from '@blindkeep/protocol/ids'
import { readReceipt } from '@blindkeep/protocol/receipt'
import fc from 'fast-check'
import {
  anyBytes,
  anyText,
  assertPlain,
  changedBytes,
  changedJson,
  declared,
  HOSTILE_BYTES,
  runs,
} from '../../../testing/decoding.ts'
import { assertLinear } from '../../../testing/linear.ts'
import titles from '../../../vectors/link-titles.json' with { type: 'json' }
import ownNames from '../../../vectors/own-names.json' with { type: 'json' }
import passkeys from '../../../vectors/passkeys.json' with { type: 'json' }
import receipts from '../../../vectors/receipts.json' with { type: 'json' }
import blobs from '../../../vectors/sealed-blobs.json' with { type: 'json' }
import shares from '../../../vectors/shares.json' with { type: 'json' }
import xwing from '../../../vectors/xwing.json' with { type: 'json' }
import { newDevice, openDevice, openSealedDevice, sealDevice } from './account/device.ts'
import { AssetError } from './assets/assetError.ts'
import type { AssetFacts } from './assets/assetFacts.ts'
import { unwrapKey, wrapKey } from './assets/assetKeys.ts'
import { openMetadata, sealMetadata } from './assets/metadata.ts'
import { openThumbnail, sealThumbnail } from './assets/thumbnail.ts'
import { dropKeySource, linkKeysOf, recoverDropKey } from './drops/dropKeys.ts'
import { openGivenTitle, openLinkTitle } from './drops/linkTitle.ts'
import { createRunningHash } from './ground/sha256.ts'
import { NO_CONTEXT, passkeyWrapKey } from './seal/derive.ts'
import { openHashedBlob } from './seal/hashedBlob.ts'
import { decodeHeader, encodeHeader } from './seal/header.ts'
import { decapsulate, encapsulate, KemError, keyPairFromSeed } from './seal/kem.ts'
import { openBlob, openSmall, openSmallText } from './seal/open.ts'
import { type OpenContext, openPrefix, readPrefix } from './seal/openHeader.ts'
import { openPasskeyKey } from './seal/passkeyKey.ts'
import { createSealer, sealSmall } from './seal/seal.ts'
import { SealError } from './seal/sealError.ts'
import { plaintextSizeOf } from './seal/sealedBlob.ts'
import { openWords } from './seal/sealedHeader.ts'
import { openGivenName, openName } from './seal/sealedName.ts'
import { ShareError } from './share/shareError.ts'
import { decodeShareIndex, encodeShareIndex, openShareIndex } from './share/shareIndex.ts'
import { decodeShareRecord, encodeShareRecord, openGivenRecord, openShareRecord } from './share/shareRecord.ts'
import { checkReceipt, openReceipt } from './verify/audit.ts'
import { AuditError } from './verify/auditError.ts'

const isSealError = (error: unknown) => error instanceof SealError
const isAuditError = (error: unknown) => error instanceof AuditError
const known = <Value>(value: Value | undefined): Value => value ?? assert.fail('undefined')

const key = new Uint8Array(32).fill(9)
const context = { key, purpose: 'original', contextId: new Uint8Array(16).fill(4) } as const
const said = { name: 'a.txt', modified_at: '2026-03-01T10:20:30.456Z', note: 'for you', sender: 'Ada' }
const lists = { fields: '[["a","b"]]', questions: '[]', file_kinds: 'pdf' }
const header = { size: 5, ...said, ...lists, batch: '0123456789abcdef'.repeat(2), batch_index: 2, batch_count: 7 }
const content = Uint8Array.of(1, 2, 3, 4, 5)
const sealer = await createSealer({ ...context, header })
const sealed = concatBytes(sealer.prefix, await sealer.sealSegment(0, content))
const other = await sealSmall(content, { ...context, contextId: NO_CONTEXT })

describe('decodeHeader', () => {
  const valid = [encodeHeader(header), encodeHeader({ size: 0 })]

  it('throws SealError only, and accepts one encoding of each header', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(anyBytes, changedBytes(...valid)), async (bytes) => {
        const read = await declared(() => decodeHeader(bytes), isSealError)
        if (read === undefined) return
        assertPlain(read)
        assert.deepEqual(decodeHeader(encodeHeader(read)), read)
      }),
      runs(400),
    )
  })

  it('reads maps of any names and values into a header with its own members only', async () => {
    await fc.assert(
      fc.asyncProperty(changedJson(header), async (json) => {
        const fields = Object.entries(Object(json)).filter(([, value]) => typeof value !== 'object')
        const encoded = encodeCbor(new Map(fields as [string, CborValue][]))
        const read = await declared(() => decodeHeader(encoded), isSealError)
        const names = [...Object.keys(header), 'type']
        for (const name of Object.keys(read ?? {})) assert.ok(names.includes(name))
      }),
      runs(200),
    )
  })
})

describe('openPrefix, readPrefix, openBlob, openHashedBlob, openSmall and openSmallText', () => {
  const read = async (bytes: Uint8Array) => {
    const stream = new Blob([Uint8Array.from(bytes)]).stream()
    const hash = createRunningHash()
    const expectedHash = createHash('sha256').update(sealed).digest('hex')
    const opened = await openHashedBlob({
      stream,
      opener: context,
      hash,
      expectedHash,
      differenceError: () => new SealError('altered', 'hash'),
    })
    return new Uint8Array(await new Response(opened.content).arrayBuffer())
  }

  it('open nothing but the sealed bytes, and throw SealError only', async () => {
    assert.deepEqual(await read(sealed), content)
    await fc.assert(
      fc.asyncProperty(fc.oneof(anyBytes, changedBytes(sealed, other)), async (bytes) => {
        const own = Uint8Array.from(bytes)
        await assert.rejects(openSmall(own, context), isSealError)
        await assert.rejects(read(own), isSealError)
        const prefix = await declared(() => readPrefix(async (count) => own.slice(0, count)), isSealError)
        // The beginning may be whole. It then says the same as before.
        const opened = prefix && (await declared(() => openPrefix(prefix, context), isSealError))
        if (opened !== undefined) assert.deepEqual(opened.header, { ...header })
        const streamed = await declared(() => openBlob(new Blob([own]).stream(), context), isSealError)
        if (streamed !== undefined) {
          assert.deepEqual(streamed.header, { ...header })
          await streamed.content.cancel()
        }
        const { text, fault } = await openSmallText(toBase64(own), context)
        assert.ok(text === undefined && fault !== undefined)
      }),
      runs(80),
    )
  })

  it('open what was sealed, of any length', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 2000 }), async (bytes) => {
        assert.deepEqual(await openSmall(await sealSmall(bytes, context), context), Uint8Array.from(bytes))
      }),
      runs(20),
    )
  })

  it('open no valid vector with a changed byte', async () => {
    const short = blobs.valid.filter(
      ({ sealed: hex, kem_ct }) => hex !== undefined && kem_ct === undefined && hex.length < 6000,
    )
    assert.ok(short.length > 2)
    for (const vector of short) {
      const bytes = fromHex(known(vector.sealed))
      const how: OpenContext = {
        key: fromHex(vector.key),
        purpose: vector.purpose as OpenContext['purpose'],
        contextId: fromHex(vector.context_id),
      }
      await fc.assert(
        fc.asyncProperty(changedBytes(bytes), async (changed) => {
          await assert.rejects(openSmall(Uint8Array.from(changed), how), isSealError)
        }),
        runs(10),
      )
    }
  })

  it('give sizes without an error for any number of bytes', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), fc.nat(70_000), (sealedBytes, before) => {
        const size = plaintextSizeOf(sealedBytes, before)
        assert.ok(size === undefined || (size >= 0 && size <= sealedBytes))
      }),
      runs(200),
    )
  })
})

describe('encapsulate, decapsulate and recoverDropKey', () => {
  const { seed, publicKey } = keyPairFromSeed(fromHex(known(xwing.vectors[0]).seed))
  const kemCt = fromHex(known(xwing.vectors[0]).kem_ct)
  const secret = decapsulate(seed, kemCt)

  it('throw KemError only, and give no changed ciphertext the same secret', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(anyBytes, changedBytes(kemCt)), changedBytes(publicKey), async (bytes, changedKey) => {
        const found = await declared(
          () => decapsulate(seed, bytes),
          (error) => error instanceof KemError,
        )
        if (found !== undefined) assert.notDeepEqual(found, secret)
        await declared(
          () => encapsulate(changedKey),
          (error) => error instanceof KemError,
        )
      }),
      runs(25),
    )
  })

  it('throw SealError for the owner of a link', async () => {
    const keys = linkKeysOf(key, new Uint8Array(16))
    const source = dropKeySource(keys, kemCt)
    assert.ok(typeof source === 'function')
    await fc.assert(
      fc.asyncProperty(fc.oneof(anyBytes, changedBytes(kemCt)), async (bytes) => {
        await declared(() => recoverDropKey(keys, bytes), isSealError)
        await assert.rejects(async () => source(bytes), isSealError)
      }),
      runs(25),
    )
  })
})

describe('openDevice and openSealedDevice', () => {
  it('throw their declared errors only, and open no changed bytes', async () => {
    const device = newDevice()
    const sealedDevice = await sealDevice(device, key)
    assert.deepEqual(await openSealedDevice(sealedDevice, key), device)
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(anyBytes, changedBytes(device.secret)),
        changedBytes(sealedDevice),
        async (secret, bytes) => {
          const opened = await declared(
            () => openDevice(secret),
            (error) => error instanceof RangeError,
          )
          if (opened !== undefined) assert.notDeepEqual(opened, device)
          await assert.rejects(openSealedDevice(bytes, key), isSealError)
        },
      ),
      runs(15),
    )
  })
})

const albumId = known(parseAlbumId('0192e8a4-7c4e-7d1a-9b1e-3f2a5c6d7e01'))
const assetId = known(parseAssetId('0192e8a4-7c4e-7d1a-9b1e-3f2a5c6d7e02'))
const keyInputs = { accountKey: key, albumId, amkVersion: 1, assetId }

describe('unwrapKey, openMetadata and openThumbnail', () => {
  it('throw their declared errors only, and open no changed bytes', async () => {
    const wrapped = await wrapKey(key, keyInputs)
    const metadata = await sealMetadata({ key, assetId }, { name: 'a.txt' })
    const picture = Uint8Array.from([0x89, ...Buffer.from('PNG\r\n\x1a\n and more')])
    const facts = { assetId, albumId, envelope: { amk_version: 1 } } as AssetFacts
    const asset = { asset: facts, original: { hash: known(parseSha256Hex('a'.repeat(64))) } }
    const thumbnail = await sealThumbnail(key, asset, picture)
    assert.deepEqual(await unwrapKey(wrapped, keyInputs), key)
    assert.deepEqual(await openMetadata({ key, assetId }, metadata), { size: 0, name: 'a.txt' })
    assert.deepEqual(await openThumbnail(key, asset, thumbnail), picture)
    await fc.assert(
      fc.asyncProperty(changedBytes(wrapped, metadata, thumbnail), async (bytes) => {
        await assert.rejects(unwrapKey(bytes, keyInputs), (error) => error instanceof AssetError)
        await assert.rejects(openMetadata({ key, assetId }, bytes), isSealError)
        await assert.rejects(openThumbnail(key, asset, bytes), isSealError)
      }),
      runs(60),
    )
  })
})

describe('decodeShareIndex and openShareIndex', () => {
  const indexes = [...shares.valid, ...shares.following].map(({ index }) => fromHex(index))
  const isShareError = (error: unknown) => error instanceof ShareError

  it('throw ShareError only, and read back what they accept', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(anyBytes, changedBytes(...indexes)), async (bytes) => {
        const entries = await declared(() => decodeShareIndex(bytes), isShareError)
        if (entries !== undefined) assert.deepEqual(decodeShareIndex(encodeShareIndex(entries)), entries)
      }),
      runs(300),
    )
  })

  it('open no changed bytes', async () => {
    const vector = known(shares.valid[0])
    const bytes = fromHex(vector.sealed_index)
    const seal = { shareKey: fromHex(vector.share_key), opaqueId: fromHex(vector.opaque_id) }
    assert.ok((await openShareIndex(seal, bytes)).length > 0)
    await fc.assert(
      fc.asyncProperty(fc.oneof(anyBytes, changedBytes(bytes)), async (changed) => {
        await assert.rejects(openShareIndex(seal, changed), isShareError)
      }),
      runs(80),
    )
  })
})

describe('openLinkTitle and openGivenTitle', () => {
  const vector = known(titles.valid[0])
  const seal = { linkSecret: fromHex(vector.link_secret), opaqueId: fromHex(vector.opaque_id) }

  it('throw SealError only, and open no changed bytes', async () => {
    const bytes = fromHex(vector.sealed)
    assert.equal((await openLinkTitle(seal, bytes)).title, vector.title)
    await fc.assert(
      fc.asyncProperty(fc.oneof(anyBytes, changedBytes(bytes)), async (changed) => {
        await assert.rejects(openLinkTitle(seal, changed), (error) => error instanceof SealError)
        assert.equal((await openGivenTitle(() => seal, toBase64(changed))).title, undefined)
      }),
      runs(80),
    )
  })
})

describe('openName and openGivenName', () => {
  const vector = known(ownNames.valid[0])
  const seal = {
    key: fromHex(vector.account_key),
    purpose: 'share-name',
    contextId: fromHex(vector.context_id),
  } as const

  it('throw SealError only, and open no changed bytes, nor does openWords', async () => {
    const bytes = fromHex(vector.sealed)
    assert.equal(await openName(seal, bytes), vector.text)
    await fc.assert(
      fc.asyncProperty(fc.oneof(anyBytes, changedBytes(bytes)), async (changed) => {
        for (const open of [openName, openWords]) await assert.rejects(open(seal, changed), isSealError)
        assert.equal((await openGivenName(seal, toBase64(changed))).text, undefined)
      }),
      runs(80),
    )
  })
})

describe('decodeShareRecord, openShareRecord and openGivenRecord', () => {
  const [vector] = shares.records.valid
  const seal = { accountKey: fromHex(known(vector).account_key), opaqueId: fromHex(known(vector).opaque_id) }

  it('throw SealError only, and read back what they accept', async () => {
    const records = shares.records.valid.map(({ record }) => fromHex(record))
    await fc.assert(
      fc.asyncProperty(fc.oneof(anyBytes, changedBytes(...records)), async (bytes) => {
        const record = await declared(() => decodeShareRecord(bytes), isSealError)
        if (record !== undefined) assert.deepEqual(decodeShareRecord(encodeShareRecord(record)), record)
      }),
      runs(300),
    )
  })

  it('open no changed bytes', async () => {
    const bytes = fromHex(known(vector).sealed_record)
    assert.equal((await openShareRecord(seal, bytes)).files, known(vector).files)
    await fc.assert(
      fc.asyncProperty(fc.oneof(anyBytes, changedBytes(bytes)), async (changed) => {
        await assert.rejects(openShareRecord(seal, changed), isSealError)
        assert.equal((await openGivenRecord(seal, toBase64(changed))).record, undefined)
      }),
      runs(80),
    )
  })
})

describe('openPasskeyKey', () => {
  const vector = known(passkeys.valid[0])
  const seal = { output: fromHex(vector.output), passkeyId: fromHex(vector.passkey_id) }
  const context = { key: passkeyWrapKey(seal.output), purpose: 'passkey-key', contextId: seal.passkeyId } as const

  it('opens no changed bytes', async () => {
    const bytes = fromHex(vector.sealed_passkey_key)
    assert.equal((await openPasskeyKey(seal, bytes)).email, vector.email)
    await fc.assert(
      fc.asyncProperty(fc.oneof(anyBytes, changedBytes(bytes)), (changed) =>
        assert.rejects(openPasskeyKey(seal, changed), isSealError),
      ),
      runs(80),
    )
  })

  it('throws SealError only for whatever is sealed', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(anyBytes, changedBytes(fromHex(vector.content))), async (content) => {
        const sealedContent = await sealSmall(content, context)
        const opened = await declared(() => openPasskeyKey(seal, sealedContent), isSealError)
        if (opened !== undefined) assert.equal(opened.accountKey.length, 32)
      }),
      runs(80),
    )
  })
})

describe('openReceipt and checkReceipt', () => {
  const receiptCbor = fromBase64(known(receipts.valid[0]).receipt_cbor)
  const receipt = readReceipt(receiptCbor)
  const serverId = receipt.server_id
  const [published] = receipts.keys
  const keys = {
    serverId,
    keys: [{ keyId: known(published).key_id, public: known(published).public, activeFrom: '2026-01-01T00:00:00.000Z' }],
  }
  const { ciphertext_hash: ciphertextHash, size, upload_id: uploadId } = receipt
  const expected = { ciphertextHash, size, uploadId }

  it('throw AuditError only, and accept no receipt with changed bytes', async () => {
    await openReceipt({ receipt, keys, serverId })
    await checkReceipt({ receipt, keys, serverId, expected })
    const anyCbor = fc.oneof(anyText, fc.oneof(anyBytes, changedBytes(receiptCbor)).map(toBase64))
    await fc.assert(
      fc.asyncProperty(anyCbor, async (text) => {
        const changed = { ...receipt, receipt_cbor: text }
        await assert.rejects(checkReceipt({ receipt: changed, keys, serverId, expected }), isAuditError)
      }),
      runs(60),
    )
  })
})

const ofBytes: Readonly<Record<string, (bytes: Uint8Array) => unknown>> = {
  decodeHeader,
  decodeShareIndex,
  decodeShareRecord,
  'openSmall, of other bytes': (bytes) => openSmall(concatBytes(sealed, bytes), context),
}
for (const [name, run] of Object.entries(ofBytes))
  describe(`the work of ${name}`, () => {
    for (const [shape, input] of Object.entries(HOSTILE_BYTES))
      it(`rises with the length of ${shape}`, () => assertLinear({ input, run }))
  })
