import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { lstatSync, readFileSync, renameSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import type { Place } from '../send/files.ts'
import { removeUnchanged } from './deleteLocal.ts'

const directory = await mkdtemp(join(tmpdir(), 'blindkeep-delete-'))
after(() => rm(directory, { recursive: true }))
const { signal } = new AbortController()

const COMPARED = Buffer.alloc(3_000_000, 1)
const digest = createHash('sha256').update(COMPARED).digest('hex')
const OTHERS = [COMPARED.with(COMPARED.length - 1, 2), COMPARED.subarray(1), Buffer.concat([COMPARED, COMPARED])]

/** A file with `content`, and what a disk says of it on which a change moves no time: what it says now. */
function fileWith(name: string, content: Uint8Array) {
  const place: Place = join(directory, name)
  writeFileSync(place, content)
  return { place, before: statSync(place, { bigint: true }), signal }
}

describe('a file that was compared', () => {
  it('is deleted', async () => {
    const file = fileWith('same', COMPARED)
    assert.equal(await removeUnchanged({ ...file, digest }), true)
    assert.throws(() => statSync(file.place), /ENOENT/)
  })

  it('is kept if it has other bytes now, although the times of its disk do not say so', async () => {
    for (const content of OTHERS) {
      const file = fileWith('changed', content)
      assert.equal(await removeUnchanged({ ...file, digest }), false)
      assert.deepEqual(readFileSync(file.place), Buffer.from(content))
    }
  })

  it('is kept if it goes on and on by now', async () => {
    const place = join(directory, 'endless')
    symlinkSync('/dev/zero', place)
    const file = { place, before: statSync(place, { bigint: true }), signal: AbortSignal.timeout(100_000) }
    assert.equal(await removeUnchanged({ ...file, digest }), false)
    assert.ok(lstatSync(place).isSymbolicLink())
  })

  it('is kept if not all of it was read, and if another file has its name', async () => {
    const file = fileWith('other', COMPARED)
    assert.equal(await removeUnchanged({ ...file, digest: undefined }), false)
    renameSync(file.place, join(directory, 'elsewhere'))
    const { place } = fileWith('other', COMPARED)
    assert.equal(await removeUnchanged({ ...file, digest }), false)
    assert.ok(statSync(place).isFile())
  })
})
