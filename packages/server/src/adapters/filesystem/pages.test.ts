import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, it } from 'node:test'
import { readPages } from './pages.ts'

/** Reads the pages of a directory with these files. */
async function withFiles(files: Readonly<Record<string, string>>, work: (directory: string) => Promise<void>) {
  const directory = await mkdtemp(join(tmpdir(), 'blindkeep-pages-'))
  try {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(directory, name)), { recursive: true })
      await writeFile(join(directory, name), text)
    }
    await work(directory)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

describe('the built pages', () => {
  it('are read with their types, their compressed forms and a version of their content', async () => {
    const files = { 'index.html': 'page', 'index.html.br': 'br', 'assets/a-1.js': 'script', 'assets/a-1.js.gz': 'gz' }
    await withFiles(files, async (directory) => {
      const pages = await readPages(directory)
      assert.deepEqual([...pages.keys()], ['index.html', 'assets/a-1.js'])
      assert.deepEqual(pages.get('index.html'), {
        mediaType: 'text/html; charset=utf-8',
        bytes: Buffer.from('page'),
        coded: { br: Buffer.from('br') },
        version: createHash('sha256').update('page').digest('base64url'),
      })
      assert.equal(pages.get('assets/a-1.js')?.mediaType, 'text/javascript; charset=utf-8')
      assert.deepEqual(pages.get('assets/a-1.js')?.coded, { gzip: Buffer.from('gz') })
    })
  })

  it('are the files in their folders, without other files and symbolic links', async () => {
    const files = {
      'index.html': 'page',
      'secret.html': 'no',
      'u/index.html': 'guest',
      'u/deep/index.html': 'no',
      'u/notes.txt': 'no',
      'data/index.html': 'no',
    }
    await withFiles(files, async (directory) => {
      await symlink(join(directory, 'secret.html'), join(directory, 'u', 'linked.html'))
      assert.deepEqual([...(await readPages(directory)).keys()], ['index.html', 'u/index.html'])
    })
  })

  it('are none if there is no directory, and none if the first page is missing', async () => {
    await withFiles({ 'u/index.html': 'guest' }, async (directory) => {
      assert.equal((await readPages(directory)).size, 0)
      assert.equal((await readPages(join(directory, 'nowhere'))).size, 0)
    })
  })
})
