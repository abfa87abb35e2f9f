import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { folderAt } from '../ground/ownFiles.ts'
import { loadPages } from './builtPages.ts'

const directory = await mkdtemp(join(tmpdir(), 'blindkeep-pages-'))
after(() => rm(directory, { recursive: true }))
for (const name of ['index.html', 'u/index.html', 'assets/a.js', 'push/worker.js', 'app/app.webmanifest']) {
  await mkdir(join(directory, name, '..'), { recursive: true })
  await writeFile(join(directory, name), name)
}

describe('local pages of a package', () => {
  for (const [document, name] of [
    ['the owner’s', 'index.html'],
    ['that of links and shares', 'u/index.html'],
  ] as const)
    it(`have ${document} document at / alone, and no other one`, async () => {
      const pages = await loadPages(name, folderAt(directory))
      const root = pages.at('/')
      assert.equal(Buffer.from(root?.bytes ?? []).toString(), name)
      assert.match(root?.headers['Content-Security-Policy'] ?? '', /^default-src 'none'; script-src 'self'/)
      assert.equal(root?.headers['Permissions-Policy']?.includes('credentials-get=(self)'), name === 'index.html')
      assert.ok(pages.at('/assets/a.js'))
      for (const path of ['/u/x', '/v/x', '/u/index.html', '/index.html', '/push/worker.js', '/app/app.webmanifest'])
        assert.equal(pages.at(path), undefined, path)
    })
})
