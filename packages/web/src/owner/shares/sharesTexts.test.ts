import assert from 'node:assert/strict'
import { it } from 'node:test'
import { sharesTexts } from '../ground/texts.ts'

it('who shares a file that was sent to them reads first that name, message and answers go with it', () => {
  for (const [{ create, following }, words] of [
    [sharesTexts.en, [/name/, /message/, /answers/]],
    [sharesTexts.de, [/Name/, /Nachricht/, /Antworten/]],
  ] as const)
    for (const text of [create.privacyNote, following.meaning]) for (const word of words) assert.match(text, word)
})
