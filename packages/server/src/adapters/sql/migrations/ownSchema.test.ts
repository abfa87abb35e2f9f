import assert from 'node:assert/strict'
import { it } from 'node:test'
import { migrations } from './migrations.ts'
import { digestOf, NEWEST_SCHEMA, sqliteSchemaAfter } from './ownSchema.ts'

it('the newest schema is known without making it', () => {
  assert.equal(NEWEST_SCHEMA, digestOf(sqliteSchemaAfter(migrations.length)), 'NEWEST_SCHEMA is to be the second value')
})
