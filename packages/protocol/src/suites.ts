/**
 * Crypto suite 1, the only one so far: SHA-256, HKDF-SHA-512, AES-256-GCM in STREAM, X-Wing, Ed25519 with ML-DSA-65,
 * Argon2id. All lengths are bytes. A server checks only the length of `kem_ct`; clients agree on everything else.
 */
export const SUITE_ID = 1

export function isKnownSuite(id: number): boolean {
  return id === SUITE_ID
}

/** X-Wing (draft-connolly-cfrg-xwing-kem-10, section 5): ML-KEM-768 joined with X25519. */
export const KEM_SEED_BYTES = 32
export const KEM_PUBLIC_KEY_BYTES = 1216
export const KEM_CIPHERTEXT_BYTES = 1120
export const KEM_SHARED_SECRET_BYTES = 32

/** Ed25519 (RFC 8032) beside ML-DSA-65 (FIPS 204, table 2): a hybrid key is both, in this order. */
export const ED25519_PUBLIC_KEY_BYTES = 32
export const ED25519_SIGNATURE_BYTES = 64
export const ML_DSA_65_PUBLIC_KEY_BYTES = 1952
export const ML_DSA_65_SIGNATURE_BYTES = 3309
export const HYBRID_PUBLIC_KEY_BYTES = 1984

/** Argon2id (RFC 9106) for passwords and passphrases. One mebibyte of `memoryKiB` is 1024. */
export const ARGON2 = { memoryKiB: 65_536, passes: 3, parallelism: 1, bytes: 32 } as const

/** The lengths of symmetric keys, salts, and ids in a derivation. */
export const KEY_BYTES = 32
export const SALT_BYTES = 16
export const ID_BYTES = 16
export const LINK_SECRET_BYTES = 16

/** Format byte, `kem_ct` in a drop, salt, commitment, number of header blocks (a byte), header, data segments. */
export const FORMAT_BLOB = 1
export const FORMAT_DROP = 2
export const COMMITMENT_BYTES = 32
export const NONCE_PREFIX_BYTES = 7
/** HKDF-Extract with SHA-512: what a proof about a file has in place of K. */
export const BLOB_SECRET_BYTES = 64
export const TAG_BYTES = 16
export const HEADER_BLOCK_BYTES = 1024
export const MAX_HEADER_BLOCKS = 64

/**
 * The longest texts of a header, and of an entry in the index of a share, in bytes of UTF-8. Writers and readers refuse
 * longer ones, so nothing that shows or stores a name meets one of 64 KiB. A header with the longest of each fits
 * `MAX_HEADER_BLOCKS` (not beside the longest lists). A `name` may have folders before it.
 */
export const MAX_HEADER_TEXT_BYTES = { name: 8192, type: 255, modified_at: 64, note: 49_152, sender: 1024 } as const

/**
 * Lists travel in a header as text, because its values are scalars. Bytes of UTF-8, which a reader compares before it
 * parses. It passes over a longer one, as older readers pass over all of them.
 */
export const MAX_HEADER_LIST_BYTES = { questions: 4200, file_kinds: 500, fields: 8000 } as const

/** The most files that a header says of its batch, and one more than its last position. */
export const MAX_BATCH_FILES = 1_000_000

/**
 * The longest title, message and name that the owner of a link has for its guests: 200, 500 and 100 characters of any
 * script, in bytes of UTF-8. Sealed, the longest of all are 3154 bytes, and 7250 with the longest questions and kinds
 * of files.
 */
export const MAX_LINK_TITLE_BYTES = { title: 600, message: 1500, from: 300 } as const
/** For forms. */
export const MAX_LINK_TITLE_CHARACTERS = { title: 200, message: 500, from: 100 } as const
/**
 * A server takes no longer `sealed_title`, 4096 bytes before links had questions. Clients make at most 7250, and with a
 * kibibyte more the longest list of links would not fit into the memory for an account's answers.
 */
export const MAX_SEALED_TITLE_BYTES = 7680

/** What the owner of a link asks its guests. `label`, `choice` and `value`: bytes of UTF-8; `text`: characters. */
export const MAX_QUESTIONS = { count: 10, label: 200, choices: 20, choice: 100, text: 500, value: 2000 } as const
/** The characters of one ending in `file_kinds`. */
export const MAX_FILE_KIND_CHARACTERS = 16

/** A limited share knows each of its downloads again, so that a visit takes one only. */
export const MAX_SHARE_DOWNLOADS = 250

/** An owner's longest name for a share, session or device: 200 characters of any script in UTF-8. */
export const MAX_OWN_NAME_BYTES = 600
/** For forms. */
export const MAX_OWN_NAME_CHARACTERS = 200

/** A full data segment is one mebibyte when sealed. `chunk_size` of a manifest is the size of its plaintext. */
export const SEGMENT_SEALED_BYTES = 1_048_576
export const SEGMENT_PLAINTEXT_BYTES = SEGMENT_SEALED_BYTES - TAG_BYTES

/** The counter of a nonce has 32 bits and segment 0 is the header. */
export const MAX_DATA_SEGMENTS = 2 ** 32 - 1
