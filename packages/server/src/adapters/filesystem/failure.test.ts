import assert from 'node:assert/strict'
import { constants } from 'node:os'
import { it } from 'node:test'
import { ObjectUnreadable, StorageForbidden, StorageFull } from '../../ground/storageErrors.ts'
import { onObject, storageError } from './failure.ts'

/** As Node throws it: it has no name for some. */
function systemError(errno: number, code = `Unknown system error -${errno}`): Error {
  return Object.assign(new Error(), { syscall: 'read', errno: -errno, code })
}

it('calls a disk full whose quota is used up, for which Node has no name', () => {
  assert.ok(storageError(systemError(constants.errno.EDQUOT)) instanceof StorageFull)
})

it('tells an object that cannot be read from a disk, a network or a process that fails', async () => {
  const { EIO, EISDIR, EBADMSG, EACCES, ESTALE, ETIMEDOUT, EMFILE, ENOMEM } = constants.errno
  const EUCLEAN = 117
  const thrown = (error: Error) => onObject(() => Promise.reject(error)).catch((failure: unknown) => failure)
  for (const error of [
    systemError(EIO, 'EIO'),
    systemError(EISDIR, 'EISDIR'),
    systemError(EBADMSG),
    systemError(EUCLEAN),
  ])
    assert.ok((await thrown(error)) instanceof ObjectUnreadable, error.message)
  assert.ok((await thrown(systemError(EACCES, 'EACCES'))) instanceof StorageForbidden)
  for (const error of [
    systemError(ESTALE),
    systemError(ETIMEDOUT, 'ETIMEDOUT'),
    systemError(EMFILE, 'EMFILE'),
    systemError(ENOMEM, 'ENOMEM'),
  ])
    assert.equal(Object(await thrown(error)).name, 'StorageUnavailable')
})
