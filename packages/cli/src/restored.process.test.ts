/** The command line against a server that was restored from a backup. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { newCliKeeper } from './testing/keeper.ts'
import { type Outcome, openWorld, PASSWORD } from './testing/world.ts'

const world = await openWorld()
const { root, run, facts, folder } = world

let restores = 0
/** As an operator does it. */
async function restore(backup: string): Promise<void> {
  await world.server.terminate()
  restores += 1
  const settings = { DATA_DIR: join(root, `restored-${restores}`) }
  const { status, stderr } = await world.server.command(['restore', backup], settings)
  assert.equal(status, 0, stderr)
  await world.server.restart(settings)
}

/** The file without which the keys are accepted, as the alarm names it. */
function acceptedBy({ stderr }: Outcome): string {
  assert.match(stderr, /The server’s keys do not hold: Tampering detected: an attestation key .* published before/)
  const [, path = ''] = stderr.match(/Either its operator restored it .* To accept the keys .*, remove (\S+)\.$/m) ?? []
  return path
}

describe('after a restore', () => {
  it('nothing says that a file had landed which the server does not know, and accepted keys end the alarm', async () => {
    const { owner, as } = await newCliKeeper(world, 'restored', { hasPassword: true })
    const link = await owner.createLink()
    const backup = join(root, 'backup')
    assert.equal((await world.server.command(['backup', backup])).status, 0)
    assert.equal((await world.server.command(['keys', 'rotate'])).status, 0)
    await folder('files', { 'a.bin': randomBytes(10) })
    const [drop, upload] = [
      ['drop', link.url, 'files'],
      ['upload', 'files/a.bin', '--album', 'Scans', ...as],
    ]
    for (const line of [drop, upload]) await facts(line)
    const [, before] = await facts(drop)
    assert.deepEqual([before.event, before.confirmed], ['landed_before', true])

    await restore(backup)
    const login = ['login', world.proxy.url, '--email', 'restored@example.org', ...as]
    const withPassword = { env: { BLINDKEEP_PASSWORD: PASSWORD } }
    const refused = await run(login, withPassword)
    assert.equal(refused.status, 3, refused.stderr)
    const keys = acceptedBy(refused)
    await rename(keys, `${keys}-kept`)
    await facts(login, withPassword)
    await rename(`${keys}-kept`, keys)
    for (const line of [drop, upload]) {
      const { status, stdout, stderr } = await run(line)
      assert.equal(status, 1, stderr)
      const gone =
        /a\.bin: It landed on \S+ \S+(, receipt \d+)?, but the server no longer has a record of it: .*backup\. --again/
      assert.match(stderr, gone)
      assert.match(
        stdout,
        /^0 files have landed, 1 had landed before, and is not known there any more: files\/a\.bin\.$/m,
      )
    }

    const alarm = await run([...drop, '--again'])
    assert.equal(alarm.status, 3, alarm.stderr)
    await rm(acceptedBy(alarm))
    await facts(drop)
    await facts([...upload, '--again'])

    const audit = await run(['audit', ...as])
    assert.match(
      audit.stderr,
      /receipt \d+: It cannot be checked: the server does not publish its key\. Either its operator/,
    )
    assert.doesNotMatch(audit.stderr, /damaged here: restore/)
  })
})
