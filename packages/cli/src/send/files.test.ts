import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { after, describe, it } from 'node:test'
import { chooseFiles } from './files.ts'

const root = await mkdtemp(join(tmpdir(), 'blindkeep-choose-'))
after(() => rm(root, { recursive: true, force: true }))
const home = join(root, 'user', '.config', 'blindkeep')
const keys = join(home, 'profiles', 'default', 'account.json')
await mkdir(join(keys, '..'), { recursive: true })
await writeFile(keys, 'keys')
await writeFile(join(root, 'user', 'mine.txt'), 'mine')
await writeFile(join(root, 'user', 'mine.txt.blindkeep-receipt.json'), '{}')
await symlink(home, join(root, 'elsewhere'))
await mkdir(join(root, 'blindkeep'))

describe('the files that are chosen', () => {
  const leading = {
    'a folder that contains it': join(root, 'user'),
    'it itself': home,
    'a folder in it': join(home, 'profiles'),
    'a file in it': keys,
    'a symbolic link to it': join(root, 'elsewhere'),
    'a folder behind a symbolic link': join(root, 'elsewhere', 'profiles'),
    'another spelling': `${relative(process.cwd(), root)}//user/../user/.config/blindkeep/`,
  }
  for (const [what, path] of Object.entries(leading))
    it(`have nothing of the home with the keys, when what is named is ${what}`, async () => {
      for (const spelled of [home, join(root, 'elsewhere')]) {
        const { files, others } = await chooseFiles([path], spelled)
        assert.deepEqual(
          files.map(({ name }) => name),
          path === join(root, 'user') ? ['user/mine.txt'] : [],
        )
        assert.equal(others.length, 1)
        assert.match(others[0]?.why ?? '', /BLINDKEEP_HOME/)
      }
    })

  it('are all of them where there is no home yet, or beside it', async () => {
    for (const other of [join(root, 'none'), join(root, 'blindkeep')]) {
      const { files, others } = await chooseFiles([home], other)
      assert.deepEqual([files.length, others.length], [1, 0])
    }
  })

  it('have no receipts of a folder, and those that are named themselves; of those, only the ones without their file are listed', async () => {
    const receipt = join(root, 'user', 'mine.txt.blindkeep-receipt.json')
    const moved = join(root, 'user', 'moved.txt.blindkeep-receipt.json')
    await writeFile(moved, '{}')
    await writeFile(join(root, 'user', 'mine.txt (2).blindkeep-receipt.json'), '{}')
    await writeFile(join(root, 'user', 'notes (2)'), 'mine')
    await writeFile(join(root, 'user', 'notes (2).blindkeep-receipt.json'), '{}')
    const inFolder = await chooseFiles([join(root, 'user')], home)
    assert.deepEqual(inFolder.receipts, [moved])
    const named = await chooseFiles([receipt], home)
    assert.deepEqual([named.files.length, named.receipts.length], [1, 0])
  })
})
