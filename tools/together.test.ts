import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { fileURLToPath } from 'node:url'

const TOGETHER = fileURLToPath(new URL('together.ts', import.meta.url))

it('scripts that run together begin in the order of the call, unless one is the first, and say at the end what failed, after the output of those that ended later', (test) => {
  const cwd = mkdtempSync(join(tmpdir(), 'blindkeep-together-'))
  test.after(() => rmSync(cwd, { recursive: true, force: true }))
  const list = "console.log('passed before\\n✖ failing tests:\\nthe broken one'); process.exit(1)"
  writeFileSync(join(cwd, 'list.cjs'), list)
  const scripts = { listed: 'node list.cjs', broken: 'echo no such thing && exit 3', good: 'echo all is well' }
  writeFileSync(join(cwd, 'package.json'), JSON.stringify({ scripts }))
  const together = [TOGETHER, '--at-once', '1', ...Object.keys(scripts)]
  const first = spawnSync(process.execPath, [...together, '--first', 'good'], { cwd, encoding: 'utf8' })
  assert.match(first.stdout, /all is well.*the broken one/s)
  const { status, stdout, stderr } = spawnSync(process.execPath, together, { cwd, encoding: 'utf8' })
  assert.equal(status, 1)
  assert.match(stdout, /the broken one.*no such thing.*all is well/s)
  assert.match(stderr, /^failed:\nlisted\n✖ failing tests:\nthe broken one\n+broken\n.*no such thing\n+$/s)
})
