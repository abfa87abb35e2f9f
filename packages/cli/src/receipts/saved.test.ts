import assert from 'node:assert/strict'
import { lstatSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { addedProof, addedReceipt, placedName, writtenReceipt } from './saved.ts'

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

describe('a proof', () => {
  const ending = '.blindkeep-proof.json'

  it('has its name only as a whole, and until then one that no folder is sent with', async () => {
    const place = join(folder, 'whole')
    await mkdir(place)
    const path = join(place, `a${ending}`)
    const [sizes, others] = [new Set<number>(), new Set<string>()]
    let isDone = false
    const saving = addedProof(path, { text: 'x'.repeat(8 * 1024 * 1024) }).finally(() => {
      isDone = true
    })
    while (!isDone) {
      for (const name of await readdir(place)) if (name !== `a${ending}`) others.add(name)
      const size = lstatSync(path, { throwIfNoEntry: false })?.size
      if (size !== undefined) sizes.add(size)
      await setImmediate()
    }
    assert.equal(await saving, path)
    sizes.add((await stat(path)).size)
    assert.equal(sizes.size, 1)
    assert.ok([...others].every((name) => name.endsWith(ending)))
    assert.deepEqual(await readdir(place), [`a${ending}`])
    if (process.platform !== 'win32') assert.equal((await stat(path)).mode & 0o777, 0o600)
  })

  it('takes the next name where a link leads to nothing, to itself, or to a file', {
    skip: process.platform === 'win32' && 'links are a right of their own there',
  }, async () => {
    const place = join(folder, 'links')
    await mkdir(place)
    for (const [name, target] of [
      ['a', 'nowhere'],
      ['b', `b${ending}`],
      ['c', 'd'],
    ] as const) {
      await symlink(join(place, target), join(place, `${name}${ending}`))
      const saved = await addedProof(join(place, `${name}${ending}`), { name })
      assert.equal(saved, join(place, `${name} (2)${ending}`))
      assert.deepEqual(JSON.parse(await readFile(saved, 'utf8')), { name })
    }
  })
})
