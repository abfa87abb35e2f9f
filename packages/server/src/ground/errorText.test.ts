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

it('an error of a file that this user may not use says which user and which file', () => {
  const error = Object.assign(new Error("EACCES: permission denied, open '/keep/it'"), {
    code: 'EACCES',
    path: '/keep/it',
  })
  assert.match(errorText(error), /^the user .* may not read and write \/keep\/it, .*chown.* owner\.$/)
  assert.match(errorText(new Error('no start', { cause: error })), /^no start \(the user .*owner\.\)$/)
})

it('a full disk says what to do, once', () => {
  const error = new StorageFull('The disk of the database is full', { cause: new Error('disk I/O error') })
  assert.equal(errorText(error), 'The disk of the database is full (disk I/O error). Make room on it, then try again.')
})
