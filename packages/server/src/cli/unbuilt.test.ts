import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'

const PACKAGES = { 'blindkeep-server': '../..', blindkeep: '../../../cli' }

describe('the programs of a checkout that is not built', () => {
  for (const [program, at] of Object.entries(PACKAGES))
    it(`say how it is built: ${program}`, async (t) => {
      const directory = await mkdtemp(join(tmpdir(), 'blindkeep-unbuilt-'))
      t.after(() => rm(directory, { recursive: true }))
      const file = join(directory, 'bin.mjs')
      await cp(fileURLToPath(new URL(`${at}/bin.mjs`, import.meta.url)), file)
      const { status, stdout, stderr } = spawnSync(process.execPath, [file, '--help'], { encoding: 'utf8' })
      const why = 'This checkout is not built. In its own directory, call: npm run build'
      assert.deepEqual([status, stdout, stderr], [1, '', `${program}: ${why}\n`])
    })
})
