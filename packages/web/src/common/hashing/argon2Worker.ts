/** Computes Argon2id (64 MiB, a second or more) beside the page. One question and answer for each worker. */
import { masterOfPassword, passphraseProof } from '@blindkeep/client/environment'
import type { Argon2Answer, Argon2Question } from './argon2Messages.ts'

const post = (answer: Argon2Answer) => self.postMessage(answer)

self.onmessage = async ({ data }: MessageEvent<Argon2Question>) => {
  const stretch = data.kind === 'password' ? masterOfPassword : passphraseProof
  try {
    post({ derived: await stretch(data.text, data.salt, { onProgress: (share) => post({ share }) }) })
  } catch (error) {
    post({ fault: String(error) })
  }
}
