import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { givenSecret, requireKind } from './ask.ts'
import { LocalError, UsageError } from './exits.ts'

const MARK = '\ufeff'
const SECRET = 'correct horse bättery'

let root: string
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'blindkeep-ask-'))
})
after(() => rm(root, { recursive: true }))

async function fileWith(content: string | Uint8Array): Promise<string> {
  const path = join(root, 'secret')
  await writeFile(path, content)
  return path
}

describe('a secret in a file', () => {
  it('is what an editor or a shell has written there, whatever its encoding, without mark and line break', async () => {
    for (const content of [
      SECRET,
      `${SECRET}\r\n`,
      `${MARK}${SECRET}\r\n`,
      Buffer.from(`${MARK}${SECRET}\r\n`, 'utf16le'),
    ])
      assert.equal(await givenSecret({ file: await fileWith(content), variable: 'BLINDKEEP_NONE' }), SECRET)
  })

  it('is refused if it could not be typed: bytes that are no text, or more than one line', async () => {
    for (const content of [Buffer.from(SECRET, 'latin1'), Buffer.from(SECRET, 'utf16le'), 'one\ntwo', 'a\0b'])
      await assert.rejects(
        async () => givenSecret({ file: await fileWith(content), variable: 'BLINDKEEP_NONE' }),
        (error) => error instanceof LocalError && error.message.startsWith(join(root, 'secret')),
      )
  })

  it('is refused before it is read to its end if it is far longer than a secret, or a device without an end', async () => {
    for (const file of [await fileWith('a'.repeat(65_537)), '/dev/zero'])
      await assert.rejects(
        givenSecret({ file, variable: 'BLINDKEEP_NONE' }),
        (error) =>
          error instanceof LocalError && /^\S+ cannot be used: it has more than 65\.5 kB\.$/.test(error.message),
      )
  })

  it('may have several lines if it is words', async () => {
    const file = await fileWith(`${MARK}one two\r\nthree\r\n`)
    assert.equal(await givenSecret({ file, variable: 'BLINDKEEP_NONE', lines: true }), 'one two\nthree\n')
  })
})

describe('a secret in a variable', () => {
  it('is without the mark that the file of a shell had', async () => {
    process.env.BLINDKEEP_TEST_SECRET = `${MARK}${SECRET}`
    assert.equal(await givenSecret({ variable: 'BLINDKEEP_TEST_SECRET' }), SECRET)
    delete process.env.BLINDKEEP_TEST_SECRET
    assert.equal(await givenSecret({ variable: 'BLINDKEEP_TEST_SECRET' }), undefined)
  })
})

it('an address of the other kind is refused with the command for it, and no part of the address', () => {
  const [link, share] = ['u', 'v'].map((kind) => `https://keep.example.org/of/us/${kind}/${'0'.repeat(32)}#secret`)
  for (const [address = '', wanted, command] of [
    [share, 'link', 'open'],
    [link, 'share', 'drop'],
  ] as const)
    assert.throws(
      () => requireKind(address, wanted),
      (error) =>
        error instanceof UsageError && error.message.endsWith(`blindkeep ${command}`) && !/secret/.test(error.message),
    )
  requireKind(link ?? '', 'link')
  requireKind(share ?? '', 'share')
  requireKind('nonsense', 'link')
})
