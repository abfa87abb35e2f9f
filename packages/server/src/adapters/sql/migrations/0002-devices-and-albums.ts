import type { Dialect } from '../dialects.ts'

export function devicesAndAlbums({ text, integer, bytes, sequence, tableEnd }: Dialect): readonly string[] {
  return [
    `create table devices (
      device_seq ${sequence},
      device_id ${text} not null unique,
      account_id ${text} not null references accounts,
      public_key ${bytes} not null check (length(public_key) = 1984),
      mac ${bytes} check (length(mac) = 32),
      created_at ${integer} not null,
      revoked_at ${integer}
    ) ${tableEnd}`,
    'create index devices_of_account on devices (account_id, created_at, device_seq)',
    // Revoked ones pile up, and their keys make large rows: counting the live ones does not read them.
    'create index devices_live on devices (account_id) where revoked_at is null',
    `create table albums (
      album_seq ${sequence},
      album_id ${text} not null unique,
      account_id ${text} not null references accounts,
      sealed_name ${bytes},
      created_at ${integer} not null
    ) ${tableEnd}`,
    'create index albums_of_account on albums (account_id, created_at, album_seq)',
  ]
}
