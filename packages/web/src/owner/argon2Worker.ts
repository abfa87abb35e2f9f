/** Argon2id beside the page, which stays alive meanwhile: 64 MiB and a second or more of pure computing. One question, one answer, and the worker is done. */
import { masterOfPassword, passphraseProof } from '@blindkeep/client/environment'
import type { Argon2Question, Argon2Word } from './argon2Messages.ts'

const say = (word: Argon2Word) => self.postMessage(word)

self.onmessage = async ({ data }: MessageEvent<Argon2Question>) => {
  const stretch = data.kind === 'password' ? masterOfPassword : passphraseProof
  try {
    say({ derived: await stretch(data.text, data.salt, { onProgress: (share) => say({ share }) }) })
  } catch (error) {
    say({ fault: String(error) })
  }
}
