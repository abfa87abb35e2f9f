import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { it } from 'node:test'
import { promisify } from 'node:util'

/** It starts a server and stops it, on a busy machine. */
const PATIENCE_MS = 120_000

it('ends the main stories also if none of their tests is wanted', async () => {
  const story = join(import.meta.dirname, 'browsers/mainStories.test.ts')
  const args = ['--disable-warning=ExperimentalWarning', '--test', '--test-name-pattern=no such story', story]
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const options = { env: { ...env, BROWSERS: 'WebKitGTK' }, timeout: PATIENCE_MS }
  const { stdout } = await promisify(execFile)(process.execPath, args, options)
  assert.match(stdout, /fail 0/)
})
