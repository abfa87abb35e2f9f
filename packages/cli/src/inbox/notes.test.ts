import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import type { DescribedDrop } from '@blindkeep/client/owner'
import { parseDropId } from '@blindkeep/protocol/ids'
import { saveNote } from './notes.ts'

const dropId = parseDropId('6f9619ff-8b86-4d01-b42d-00cf4fc964ff')
const file = {
  name: 'a.txt',
  safeName: 'a.txt',
  type: undefined,
  note: 'as agreed',
  sender: 'Ada',
  modifiedAt: undefined,
  size: 4,
}
const drop = { dropId, receivedAt: '2026-01-02T03:04:05.000Z', file } as DescribedDrop

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'blindkeep-note-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))
const noted = (name: string) => readFile(join(folder, name), 'utf8')

describe('the note of a saved file', () => {
  it('is written once', async () => {
    await saveNote(join(folder, 'a.txt'), drop)
    await saveNote(join(folder, 'a.txt'), drop)
    assert.deepEqual(await readdir(folder), ['a.txt.blindkeep-note.txt'])
    assert.match(await noted('a.txt.blindkeep-note.txt'), /From: Ada\n\nas agreed\n$/)
  })

  it('gets a number when a guest has sent a file of its name', async () => {
    await writeFile(join(folder, 'a.txt.blindkeep-note.txt'), 'From: Eve')
    await saveNote(join(folder, 'a.txt'), drop)
    assert.match(await noted('a.txt.blindkeep-note (2).txt'), /From: Ada/)
  })

  it('gets a number when a guest has sent a folder of its name', async () => {
    await mkdir(join(folder, 'a.txt.blindkeep-note.txt'))
    await saveNote(join(folder, 'a.txt'), drop)
    assert.match(await noted('a.txt.blindkeep-note (2).txt'), /From: Ada/)
  })

  it('gets a number when a guest has sent a file of its name that is too large to be read', async () => {
    await writeFile(join(folder, 'a.txt.blindkeep-note.txt'), '')
    await truncate(join(folder, 'a.txt.blindkeep-note.txt'), 5 * 1024 ** 3)
    await saveNote(join(folder, 'a.txt'), drop)
    assert.match(await noted('a.txt.blindkeep-note (2).txt'), /From: Ada/)
  })
})
