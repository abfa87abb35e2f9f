import assert from 'node:assert/strict'
import { fromHex, toHex } from '@blindkeep/protocol/bytes'
import { secretOfWords, wordsOfSecret } from '../../packages/client/src/account/recoveryWords.ts'
import { recoveryKeySeed, recoveryWrapKey } from '../../packages/client/src/seal/derive.ts'
import { RECOVERY_SECRET } from './inputs.ts'

const repeated = (words: string, count: number) => `${words} `.repeat(count)

/** The reference vectors of BIP-39 for 256 bits, in English. */
const PUBLISHED: readonly (readonly [secret: string, words: string])[] = [
  ['00'.repeat(32), `${repeated('abandon', 23)}art`],
  [
    '7f'.repeat(32),
    `${repeated('legal winner thank year wave sausage worth useful', 2)}legal winner thank year wave sausage worth title`,
  ],
  [
    '80'.repeat(32),
    `${repeated('letter advice cage absurd amount doctor acoustic avoid', 2)}letter advice cage absurd amount doctor acoustic bless`,
  ],
  ['ff'.repeat(32), `${repeated('zoo', 23)}vote`],
  [
    '68a79eaca2324873eacc50cb9c6eca8cc68ea5d936f98787c60c7ebc74e6ce7c',
    'hamster diagram private dutch cause delay private meat slide toddler razor book happy fancy gospel tennis maple dilemma loan word shrug inflict delay length',
  ],
  [
    '9f6a2878b2520799a44ef18bc7df394e7061a224d2c33cd015b157d746869863',
    'panda eyebrow bullet gorilla call smoke muffin taste mesh discover soft ostrich alcohol speed nation flash devote level hobby quick inner drive ghost inside',
  ],
  [
    '066dca1a2bb7e8a1db2832148ce9933eea0f3ac9548d793112d9a95c9407efad',
    'all hour make first leader extend hole alien behind guard gospel lava path output census museum junior mass reopen famous sing advance salt reform',
  ],
  [
    'f585c11aec520db57dd353c69554b21a89b20fb0650966fa0a9d6f74fd989d8f',
    'void come effort suffer camp survey warrior heavy shoot primary clutch crush open amazing screen patrol group space point ten exist slush involve unfold',
  ],
]

export async function recoveryWordsVectors() {
  for (const [secret, words] of PUBLISHED) assert.equal((await wordsOfSecret(fromHex(secret))).join(' '), words)
  const own = (await wordsOfSecret(RECOVERY_SECRET)).join(' ')
  const valid = [
    ...PUBLISHED.map(([secret, words]) => ({ name: 'BIP-39, reference vectors', words, secret: fromHex(secret) })),
    { name: 'recovery_secret of derivations.json', words: own, secret: RECOVERY_SECRET },
    {
      name: 'the same in capitals, with spaces and lines as they were typed',
      words: `  ${own.toUpperCase().replaceAll(' ', ' \n\t')}\r\n`,
      secret: RECOVERY_SECRET,
    },
    {
      name: 'the same in full-width letters, which NFKD takes apart',
      words: own.replace(/[a-z]/g, (letter) => String.fromCodePoint((letter.codePointAt(0) ?? 0) + 0xfee0)),
      secret: RECOVERY_SECRET,
    },
  ]
  for (const { words, secret } of valid) assert.deepEqual(await secretOfWords(words), secret)
  const list = own.split(' ')
  return {
    valid: valid.map(({ name, words, secret }) => ({
      name,
      words,
      secret: toHex(secret),
      recovery_wrap: toHex(recoveryWrapKey(secret)),
      recovery_key_seed: toHex(recoveryKeySeed(secret)),
    })),
    invalid: [
      { name: 'no words', words: ' ', reason: 'count' },
      { name: 'twelve words with a checksum of their own', words: `${repeated('abandon', 11)}about`, reason: 'count' },
      { name: 'one word too many', words: `${own} abandon`, reason: 'count' },
      { name: 'the last one missing', words: list.slice(0, -1).join(' '), reason: 'count' },
      {
        name: 'a word that is not on the list',
        words: list.with(4, 'blindkeep').join(' '),
        reason: 'unknown_word',
        place: 5,
      },
      { name: 'the beginning of a word', words: list.with(23, 'aband').join(' '), reason: 'unknown_word', place: 24 },
      { name: 'another word', words: list.with(9, 'zoo').join(' '), reason: 'checksum' },
      {
        name: 'two words that have changed places',
        words: list
          .with(0, list[1] ?? '')
          .with(1, list[0] ?? '')
          .join(' '),
        reason: 'checksum',
      },
      { name: 'no checksum', words: repeated('abandon', 24).trim(), reason: 'checksum' },
    ],
  }
}
