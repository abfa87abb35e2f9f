import assert from 'node:assert/strict'
import { constants } from 'node:os'
import { it } from 'node:test'
import { StorageFull } from '../../ground/storageErrors.ts'
import { storageError } from './failure.ts'

it('calls a disk full whose quota is used up, for which Node has no name', () => {
  const errno = -constants.errno.EDQUOT
  const error = Object.assign(new Error(), { syscall: 'write', errno, code: `Unknown system error ${errno}` })
  assert.ok(storageError(error) instanceof StorageFull)
})
