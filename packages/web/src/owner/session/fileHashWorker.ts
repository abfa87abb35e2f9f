/** Hashes one file with WebAssembly while the page stays free. Answers `ready` first, then each question. */
import { createFastHash } from '../../common/hashing/fastHash.ts'

export type FileHashQuestion = Uint8Array | 'digest'

/** `ready`, or the digest. */
const post = (answer: string) => self.postMessage(answer)

void createFastHash().then((hash) => {
  self.onmessage = ({ data }: MessageEvent<FileHashQuestion>) => {
    if (data === 'digest') return post(hash.digest())
    hash.update(data)
    post('ready')
  }
  post('ready')
})
