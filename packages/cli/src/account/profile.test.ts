import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { EXIT, LocalError } from '../ground/exits.ts'
import { openProfile } from './profile.ts'
import { notSignedIn } from './session.ts'
import { logout } from './whoami.ts'

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

  it('that was mistyped differs from one that is signed out, with those that may be meant', async () => {
    for (const name of ['work', 'home']) {
      const { vault } = await openProfile({ profile: name })
      await vault.write('account', {})
    }
    const typed = await openProfile({ profile: 'wrok' })
    assert.equal(
      (await notSignedIn(typed)).message,
      'No account is signed in in the profile wrok. Profiles with one: work, home. Call: blindkeep login SERVER --profile wrok',
    )
    await assert.rejects(logout({ profile: 'wrok', quiet: true }), LocalError)
    assert.equal(await logout({ profile: 'default', quiet: true }), EXIT.done)
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
          assert.match(error.message, new RegExp(`${name}\\.json is damaged: .*sign in again`))
          return true
        })
      }
    })
})
