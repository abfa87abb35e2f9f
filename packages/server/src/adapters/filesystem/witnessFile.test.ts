import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { hash } from '../../contracts/store/world.ts'
import { StorageUnavailable } from '../../ground/storageErrors.ts'
import type { Witness } from '../../ports/witness.ts'
import { MARKER } from './marker.ts'
import { createWitnessFile } from './witnessFile.ts'

const inDirectory = (work: (witness: Witness, directory: string) => Promise<void>) => async () => {
  const directory = await mkdtemp(join(tmpdir(), 'blindkeep-witness-'))
  try {
    await writeFile(join(directory, MARKER), '')
    await work(createWitnessFile({ directory }), directory)
  } finally {
    await rm(directory, { recursive: true })
  }
}

describe('the witness as a file', () => {
  it(
    'keeps the last head',
    inDirectory(async (witness, directory) => {
      assert.equal(await witness.read(), undefined)
      for (const receiptSeq of [1, Number.MAX_SAFE_INTEGER]) {
        const head = { life: 2, receiptSeq, receiptHash: hash(receiptSeq) }
        await witness.write(head)
        assert.deepEqual(await createWitnessFile({ directory }).read(), head)
      }
    }),
  )

  it(
    'is not missing because the disk is away, and none when it cannot be read',
    inDirectory(async (witness, directory) => {
      await rm(join(directory, MARKER))
      await assert.rejects(witness.read(), StorageUnavailable)
      await assert.rejects(witness.write({ life: 0, receiptSeq: 1, receiptHash: hash(1) }), StorageUnavailable)
      await writeFile(join(directory, MARKER), '')
      for (const text of ['', '{}', '{"life":0,"receipt_seq":-1,"receipt_hash":"ab"}']) {
        await writeFile(join(directory, '.blindkeep-witness'), text)
        await assert.rejects(witness.read(), /cannot be read/)
      }
    }),
  )
})
