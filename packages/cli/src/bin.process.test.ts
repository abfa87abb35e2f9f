import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const BIN = fileURLToPath(new URL('../bin.mjs', import.meta.url))
/** What an old Node says that it is. */
const asOld = `data:text/javascript,Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '22.12.0' } })`

describe('the program that npm links', () => {
  it('says which Node it needs', async () => {
    const call = promisify(execFile)(process.execPath, ['--import', asOld, BIN, '--version'])
    await assert.rejects(call, {
      code: 1,
      stdout: '',
      stderr: 'blindkeep: This is Node 22.12.0. Use Node 22.13 or newer.\n',
    })
  })
})
