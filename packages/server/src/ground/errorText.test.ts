import assert from 'node:assert/strict'
import { it } from 'node:test'
import { errorText } from './errorText.ts'
import { StorageFull } from './storageErrors.ts'

it('an error is written with its causes, once each', () => {
  const refused = new AggregateError([new Error('connect ECONNREFUSED ::1:5432'), new Error('connect ECONNREFUSED')])
  const outer = new Error('the database cannot be reached', { cause: refused })
  assert.equal(errorText(outer), 'the database cannot be reached (connect ECONNREFUSED ::1:5432)')
  assert.equal(errorText(new Error('gone: no such file', { cause: new Error('no such file') })), 'gone: no such file')
  assert.equal(errorText('text'), 'text')
})

/** As the system refuses to let this user `syscall` a path. */
const denied = (syscall: string, path: string) =>
  Object.assign(new Error(`EACCES: permission denied, ${syscall} '${path}'`), { code: 'EACCES', syscall, path })

it('an error of a file that this user may not use says which user and which file', () => {
  const here = import.meta.filename
  const error = denied('open', here)
  assert.match(errorText(error), new RegExp(`^the user .* may not read and write ${here}, .*chown.* owner\\.$`))
  assert.match(errorText(new Error('no start', { cause: error })), /^no start \(the user .*owner\.\)$/)
})

it('an error of a file or directory that this user may not create says what to give to the user', () => {
  const missing = `${import.meta.dirname}/missing`
  assert.match(
    errorText(denied('open', missing)),
    new RegExp(` may not read and write ${import.meta.dirname}, .*chown`),
  )
  assert.match(errorText(denied('mkdir', missing)), new RegExp(` may not create ${missing}, .*\\(mkdir, chown\\)\\.$`))
})

it('a full disk says what to do, once', () => {
  const error = new StorageFull('The disk of the database is full', { cause: new Error('disk I/O error') })
  assert.equal(errorText(error), 'The disk of the database is full (disk I/O error). Make room on it, then try again.')
})
