import assert from 'node:assert/strict'
import { argon2Sync } from 'node:crypto'
import { toHex, utf8 } from '@blindkeep/protocol/bytes'
import { ARGON2 } from '@blindkeep/protocol/suites'
import { masterOfPassword } from '../../packages/client/src/ground/password.ts'
import { SALT } from './inputs.ts'

const PASSWORD = 'correct horse battery staple'

export async function argon2idVectors() {
  const output = await masterOfPassword(PASSWORD, SALT)
  // No document has published this vector, so two implementations must agree on it.
  const other = argon2Sync('argon2id', {
    message: utf8(PASSWORD),
    nonce: SALT,
    parallelism: ARGON2.parallelism,
    tagLength: ARGON2.bytes,
    memory: ARGON2.memoryKiB,
    passes: ARGON2.passes,
  })
  assert.equal(toHex(output), toHex(other))
  return {
    vectors: [
      {
        name: 'RFC 9106, section 5.3',
        password: '01'.repeat(32),
        salt: '02'.repeat(16),
        secret: '03'.repeat(8),
        associated_data: '04'.repeat(12),
        memory_kib: 32,
        passes: 3,
        parallelism: 4,
        output: '0d640df58d78766c08c037a34a8b53c9d01ef0452d75b65eb52520e96b01e659',
      },
      {
        name: 'parameters of suite 1; made by @noble/hashes, agreed by OpenSSL',
        password: toHex(utf8(PASSWORD)),
        salt: toHex(SALT),
        secret: '',
        associated_data: '',
        memory_kib: ARGON2.memoryKiB,
        passes: ARGON2.passes,
        parallelism: ARGON2.parallelism,
        output: toHex(output),
      },
    ],
  }
}
