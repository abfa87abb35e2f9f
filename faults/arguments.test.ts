import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { it } from 'node:test'
import { MAIN } from '../testing/startServer.ts'

it('a server that is given a command does not start, and says where commands are', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, 'fsck'], { encoding: 'utf8', timeout: 60_000 })
  assert.equal(status, 1)
  assert.equal(stdout, '')
  assert.match(stderr, /Unexpected argument 'fsck'.*blindkeep-server --help/)
})
