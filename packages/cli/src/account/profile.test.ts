import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { LocalError } from '../ground/exits.ts'
import { openProfile } from './profile.ts'

let home: string
before(async () => {
  home = await mkdtemp(join(tmpdir(), 'blindkeep-profile-'))
  process.env.BLINDKEEP_HOME = home
})
after(() => rm(home, { recursive: true, force: true }))

describe('a profile', () => {
  it('knows nothing before the first sign-in', async () => {
    const profile = await openProfile({ profile: 'new' })
    assert.deepEqual(
      [await profile.account(), await profile.tokens(), await profile.device()],
      [undefined, undefined, undefined],
    )
  })

  for (const content of ['', '{"server":', 'null', '[]', '{"server": "https://keep.example.org", "email": 1}'])
    it(`says which of its files is damaged, and what to do, when that contains ${JSON.stringify(content)}`, async () => {
      const directory = join(home, 'profiles', 'damaged')
      await mkdir(directory, { recursive: true })
      const profile = await openProfile({ profile: 'damaged' })
      for (const name of ['account', 'tokens', 'device'] as const) {
        await writeFile(join(directory, `${name}.json`), content)
        await assert.rejects(profile[name](), (error) => {
          assert.ok(error instanceof LocalError)
          assert.match(error.message, new RegExp(`${name}\\.json is damaged\\. .*sign in again`))
          return true
        })
      }
    })
})
