/** Proofs about files come from other people. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { utf8 } from '@blindkeep/protocol/bytes'
import fc from 'fast-check'
import { anyBytes, assertPlain, changedBytes, changedJson, declared, runs } from '../../../../testing/decoding.ts'
import vectors from '../../../../vectors/openings.json' with { type: 'json' }
import { streamOf } from '../seal/byteReader.ts'
import { sourceOfBytes } from '../seal/source.ts'
import { AuditError } from '../verify/auditError.ts'
import { parsePublishedKeys } from '../verify/publishedKeys.ts'
import { checkFile, checkSigned } from './checkProof.ts'
import { ProofError } from './proofError.ts'
import { type FileProof, parseProof, readProofs } from './readProof.ts'

const isProofError = (error: unknown) => error instanceof ProofError
const isRefusal = (error: unknown) => error instanceof RangeError || error instanceof AuditError
const short = vectors.valid.filter(({ size }) => size < 1000)
const keys = await parsePublishedKeys(vectors.published)
const source = sourceOfBytes(Uint8Array.from({ length: 300 }, (_, index) => index))
const jsonBytes = (json: unknown) => utf8(JSON.stringify(json))

/** No document that differs from a valid one shows anything about a file of other bytes. */
async function refused(read: () => FileProof | undefined): Promise<void> {
  const proof = await declared(read, isProofError)
  if (proof === undefined) return
  assertPlain(proof)
  const signed = await declared(() => checkSigned(proof, { keys }), isProofError)
  if (signed !== undefined)
    await assert.rejects(checkFile({ proof, signed, source }), (error) => error instanceof ProofError)
}

describe('parseProof and readProofs', () => {
  const documents = short.map(({ proof }) => proof)

  it('throw ProofError only, and show nothing about another file', async () => {
    await fc.assert(
      fc.asyncProperty(changedJson(...documents), (json) => refused(() => parseProof(jsonBytes(json)))),
      runs(200),
    )
    const bytes = fc.oneof(anyBytes, changedBytes(...documents.map(jsonBytes)))
    await fc.assert(
      fc.asyncProperty(bytes, (document) => refused(() => parseProof(document))),
      runs(100),
    )
  })

  it('read a document in pieces and lines as they read it whole', async () => {
    const whole = documents.map((document) => parseProof(jsonBytes(document)))
    const lines = documents.map((document) => `${JSON.stringify(document)}\n`).join('')
    const read: FileProof[] = []
    for await (const proof of readProofs(streamOf(utf8(lines)))) read.push(proof)
    assert.deepEqual(read, whole)
  })
})

describe('parsePublishedKeys', () => {
  it('throws what it declares, and reads no changed key under its id', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.jsonValue(), changedJson(vectors.published)), async (json) => {
        const read = await declared(() => parsePublishedKeys(json), isRefusal)
        for (const { keyId, public: bytes } of read?.keys ?? [])
          if (keyId === keys.keys[0]?.keyId) assert.equal(bytes, keys.keys[0]?.public)
      }),
      runs(200),
    )
  })
})
