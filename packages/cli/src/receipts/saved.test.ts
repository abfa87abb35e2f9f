import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { addedReceipt, placedName, writtenReceipt } from './saved.ts'

let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'blindkeep-saved-'))
})
after(() => rm(folder, { recursive: true, force: true }))

describe('the receipt of a file with a long name', () => {
  for (const character of ['x', 'é', '漢', '😀'])
    it(`can be saved if the name consists of ${character}`, async () => {
      const name = `${character.repeat(Math.floor(251 / Buffer.byteLength(character)))}.txt`
      const path = await writtenReceipt(join(folder, placedName({ path: `/${name}`, name })), {})
      assert.ok((await readdir(folder)).some((saved) => path.endsWith(`/${saved}`)))
      assert.ok(path.isWellFormed())
    })
})

describe('the receipt of a file that is sent once more', () => {
  it('is saved beside the earlier one, once', async () => {
    const path = join(folder, 'a.txt.blindkeep-receipt.json')
    const second = join(folder, 'a.txt (2).blindkeep-receipt.json')
    const saved = []
    for (const receipt_seq of [7, 9, 9, 7]) saved.push(await addedReceipt(path, { receipt_seq }))
    assert.deepEqual(saved, [path, second, second, path])
    assert.deepEqual(JSON.parse(await readFile(path, 'utf8')), { receipt_seq: 7 })
    assert.deepEqual(JSON.parse(await readFile(second, 'utf8')), { receipt_seq: 9 })
  })
})
