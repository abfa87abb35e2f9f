import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { type Config, describeSettings, messengerSettingsIn, publicAddressOf, readConfig } from './config.ts'
import type { Environment } from './sources.ts'

function configOf(environment: Environment): Config {
  const config = readConfig(environment)
  if ('faults' in config) throw new Error(config.faults.join('; '))
  return config
}

function faultsOf(environment: Environment): readonly string[] {
  const config = readConfig(environment)
  return 'faults' in config ? config.faults : []
}

/** The settings named by the faults. */
function namesOf(environment: Environment): readonly string[] {
  return faultsOf(environment).map((fault) => fault.split(' ')[0] ?? '')
}

describe('readConfig', () => {
  it('has a default for everything', () => {
    const config = configOf({})
    assert.deepEqual(
      [config.host, config.port, config.publicUrl, config.registration, config.quotaSoftBytes, config.quotaHardBytes],
      ['127.0.0.1', 8080, undefined, 'open', undefined, undefined],
    )
    assert.deepEqual(
      [
        config.requestBytesMax,
        config.chunkBytesMax,
        config.chunkBytesSuggested,
        config.blobBytesMax,
        config.freeSpaceFloorBytes,
      ],
      [2 ** 20, 2 ** 24, 2 ** 23, 2 ** 40, 2 ** 30],
    )
    assert.deepEqual(
      [config.database, config.blobs, config.masterSecretFile],
      [
        { kind: 'sqlite', path: 'data/blindkeep.sqlite' },
        { kind: 'files', directory: 'data/blobs' },
        'data/secrets/master.secret',
      ],
    )
    assert.ok(config.pagesDirectory.endsWith(join('web', 'dist')), config.pagesDirectory)
    assert.deepEqual([config.protocolMin, config.protocolMax], ['2026-01-01', '2026-11-01'])
    assert.deepEqual(
      [config.adoptionLeaseSeconds, config.manifestDriftDays, config.deepBytesPerHour],
      [60, 30, 68_719_476_736],
    )
  })

  it('reads where the operator hears of alarms, also at a private address, and refuses half of it', () => {
    const secret = Buffer.alloc(32, 7).toString('base64')
    const webhook = { ALARM_WEBHOOK: 'http://10.1.2.3:8000/alarms', ALARM_WEBHOOK_SECRET: secret }
    const mail = { ALARM_EMAIL: 'Ops@Example.org', SMTP_URL: 'smtps://mail.example', MAIL_FROM: 'keep@example.org' }
    const { alarmWebhook, alarmWebhookSecret, alarmEmail } = configOf({ ...webhook, ...mail })
    assert.deepEqual([alarmWebhook, alarmWebhookSecret, alarmEmail], [webhook.ALARM_WEBHOOK, secret, 'ops@example.org'])
    assert.deepEqual(namesOf({ ALARM_EMAIL: mail.ALARM_EMAIL }), ['SMTP_URL'])
    assert.deepEqual(namesOf({ ALARM_WEBHOOK: webhook.ALARM_WEBHOOK }), ['ALARM_WEBHOOK'])
    for (const wrong of ['c2hvcnQ=', `${secret}!`, 'x'.repeat(39)])
      assert.deepEqual(namesOf({ ...webhook, ALARM_WEBHOOK_SECRET: wrong })[0], 'ALARM_WEBHOOK_SECRET')
    for (const wrong of ['ftp://x', 'http://a:b@x/', 'https://x/#y', 'x'])
      assert.deepEqual(namesOf({ ...webhook, ALARM_WEBHOOK: wrong })[0], 'ALARM_WEBHOOK')
  })

  it('sends no messages by default, and reads kinds, networks and the mail server', () => {
    assert.deepEqual(messengerSettingsIn(configOf({})), { offered: [], networks: [], mail: undefined })
    const mail = { SMTP_URL: 'smtps://mail.example', MAIL_FROM: 'Keep@Example.org', SMTP_USER: 'a', SMTP_PASSWORD: 'b' }
    const config = configOf({ NOTIFY: 'email, webhook', NOTIFY_NETWORKS: '10.0.0.1,fd00::/8', ...mail })
    assert.deepEqual(messengerSettingsIn(config), {
      offered: ['webhook', 'email'],
      networks: ['10.0.0.1', 'fd00::/8'],
      mail: {
        host: 'mail.example',
        port: 465,
        isTls: true,
        isLoopback: false,
        user: 'a',
        password: 'b',
        from: 'keep@example.org',
      },
    })
    const plain = messengerSettingsIn(configOf({ ...mail, NOTIFY: 'email', SMTP_URL: 'smtp://127.0.0.1' })).mail
    assert.deepEqual([plain?.port, plain?.isTls, plain?.isLoopback], [587, false, true])
  })

  it('refuses messages that it could not send, and never repeats a password', () => {
    assert.deepEqual(namesOf({ NOTIFY: 'webhook,fax' }), ['NOTIFY'])
    assert.deepEqual(namesOf({ NOTIFY: 'email' }), ['SMTP_URL'])
    assert.deepEqual(namesOf({ SMTP_USER: 'a' }), ['SMTP_USER'])
    const [fault = ''] = faultsOf({ SMTP_URL: 'smtp://user:hunter2@mail.example' })
    assert.match(fault, /^SMTP_URL must not contain credentials/)
    assert.ok(!fault.includes('hunter2'))
    for (const url of ['mail.example', 'https://mail.example', 'smtp://', 'smtp://mail.example/?x=1'])
      assert.deepEqual(namesOf({ SMTP_URL: url }), ['SMTP_URL'], url)
  })

  it('reads what the operator says about itself, and refuses what is no line and no https page', () => {
    const site = { SITE_NAME: ' Büro מאיה ', SITE_IMPRINT_URL: 'https://Example.org/imprint?a#b' }
    const { siteName, siteImprintUrl, sitePrivacyUrl } = configOf(site)
    const said = ['Büro מאיה', 'https://example.org/imprint?a#b', undefined]
    assert.deepEqual([siteName, siteImprintUrl, sitePrivacyUrl], said)
    for (const name of [' ', 'a\nb', 'a\u2028b', 'a\u202Eb', 'a\u0007b', 'x'.repeat(201), '\uD800'])
      assert.deepEqual(namesOf({ SITE_NAME: name }), ['SITE_NAME'], JSON.stringify(name))
    for (const url of ['example.org', 'http://a.example', 'javascript:1', `https://a.example/${'é'.repeat(100)}`])
      assert.deepEqual(namesOf({ SITE_IMPRINT_URL: url }), ['SITE_IMPRINT_URL'], url)
    const [fault = ''] = faultsOf({ SITE_PRIVACY_URL: 'https://user:hunter2@a.example' })
    assert.match(fault, /^SITE_PRIVACY_URL must be an https URL without/)
    assert.ok(!fault.includes('hunter2'))
  })

  it('treats an empty variable as unset, and ignores other variables', () => {
    assert.deepEqual(configOf({ PORT: '', PUBLIC_URL: '', HOME: '/root', UNKNOWN_SETTING: 'x' }), configOf({}))
  })

  it('names all wrong values at once, in the order of the table', () => {
    const names = namesOf({
      LOG_LEVEL: 'loud',
      PORT: '65536',
      PUBLIC_URL: 'ftp://a',
      PROTOCOL_MIN: '2026-02-30',
      REGISTRATION: 'Open',
      HOST: 'a b',
    })
    assert.deepEqual(names, ['HOST', 'PORT', 'PUBLIC_URL', 'REGISTRATION', 'PROTOCOL_MIN', 'LOG_LEVEL'])
  })

  it('refuses numbers that are not plain decimal integers in range', () => {
    for (const value of [
      '-1',
      '1.5',
      '1e3',
      '0x10',
      ' 1',
      '1 ',
      '١',
      '9007199254740992',
      '99999999999999999999',
      'NaN',
    ]) {
      assert.deepEqual(namesOf({ BLOB_BYTES_MAX: value }), ['BLOB_BYTES_MAX'], value)
    }
    assert.equal(configOf({ BLOB_BYTES_MAX: '9007199254740991' }).blobBytesMax, Number.MAX_SAFE_INTEGER)
    assert.deepEqual(namesOf({ SWEEP_SECONDS: '0', QUOTA_GRACE_DAYS: '0' }), ['SWEEP_SECONDS'])
    assert.deepEqual(namesOf({ ADOPTION_LEASE_SECONDS: '0', MANIFEST_DRIFT_DAYS: '3651', DEEP_BYTES_PER_HOUR: '0' }), [
      'ADOPTION_LEASE_SECONDS',
      'MANIFEST_DRIFT_DAYS',
      'DEEP_BYTES_PER_HOUR',
    ])
  })

  it('keeps the sub-path of PUBLIC_URL without a slash at its end, and its origin in canonical form', () => {
    const addresses = [
      ['https://Keep.Example/', 'https://keep.example', 'https://keep.example'],
      ['https://keep.example:443/drop//', 'https://keep.example', 'https://keep.example/drop'],
      ['http://[::1]:8080/a/b', 'http://[::1]:8080', 'http://[::1]:8080/a/b'],
    ]
    for (const [given, serverId, baseUrl] of addresses)
      assert.deepEqual(configOf({ PUBLIC_URL: given }).publicUrl, { serverId, baseUrl })
  })

  it('refuses a PUBLIC_URL with a query, fragment or credentials, and does not repeat it', () => {
    for (const given of [
      'https://a/?q',
      'https://a/?',
      'https://a/#f',
      'https://a/#',
      'https://u:secret@a/',
      'https://u@a/',
      'keep.example',
      'file:///a',
    ]) {
      const faults = faultsOf({ PUBLIC_URL: given })
      assert.equal(faults.length, 1, given)
      assert.doesNotMatch(faults.join(), /secret/)
    }
  })

  it('requires PUBLIC_URL when HOST is not loopback', () => {
    for (const host of ['0.0.0.0', '::', '192.168.1.5', 'keep.example'])
      assert.deepEqual(namesOf({ HOST: host }), ['PUBLIC_URL'], host)
    for (const host of ['127.0.0.1', '127.9.9.9', '::1', 'localhost'])
      assert.deepEqual(namesOf({ HOST: host }), [], host)
    assert.deepEqual(namesOf({ HOST: '0.0.0.0', PUBLIC_URL: 'http://localhost:8080' }), [])
  })

  it('requires an invite by default when PUBLIC_URL is not loopback', () => {
    const config = configOf({ PUBLIC_URL: 'https://keep.example' })
    assert.deepEqual([config.registration, config.isRegistrationDefault], ['invite', true])
    assert.equal(configOf({ PUBLIC_URL: 'http://127.0.0.1:9000/keep' }).registration, 'open')
    assert.equal(configOf({ PUBLIC_URL: 'http://[::1]/' }).registration, 'open')
    assert.equal(configOf({ PUBLIC_URL: 'https://127.0.0.1.example/' }).registration, 'invite')
    const chosen = configOf({ PUBLIC_URL: 'https://keep.example', REGISTRATION: 'open' })
    assert.deepEqual([chosen.registration, chosen.isRegistrationDefault], ['open', false])
    assert.equal(configOf({ REGISTRATION: 'closed' }).registration, 'closed')
  })

  it('refuses an address at which browsers give pages no encryption, unless it is meant', () => {
    const insecure = { PUBLIC_URL: 'http://keep.example' }
    assert.deepEqual(namesOf(insecure), ['PUBLIC_URL'])
    assert.deepEqual(namesOf({ ...insecure, INSECURE_PUBLIC_URL: 'allowed' }), [])
    for (const given of ['https://keep.example', 'http://127.0.0.1:9000/keep', 'http://[::1]'])
      assert.deepEqual(namesOf({ PUBLIC_URL: given }), [], given)
  })

  it('reads addresses and networks of proxies', () => {
    assert.deepEqual(configOf({ TRUST_PROXY: '127.0.0.1, 10.0.0.0/8,fd00::/8,::1' }).trustedProxies, [
      '127.0.0.1',
      '10.0.0.0/8',
      'fd00::/8',
      '::1',
    ])
    for (const wrong of [
      'true',
      '10.0.0.0/33',
      '10.0.0/8',
      '::1/129',
      '10.0.0.1/',
      '10.0.0.1/8/8',
      '10.0.0.1,',
      '10.0.0.1/-1',
    ]) {
      assert.deepEqual(namesOf({ TRUST_PROXY: wrong }), ['TRUST_PROXY'], wrong)
    }
  })

  it('refuses every address as a proxy, in any notation', () => {
    for (const all of [
      '0.0.0.0/0',
      '::/0',
      '10.1.2.3/0',
      '::ffff:0:0/96',
      '127.0.0.1,fd00::/0',
      '0.0.0.0/1,128.0.0.0/1',
      '0.0.0.0/1,128.0.0.0/2,192.0.0.0/3',
      '2000::/3',
    ]) {
      const [fault = ''] = faultsOf({ TRUST_PROXY: all })
      assert.match(fault, /^TRUST_PROXY must not have all addresses: .* Name only those from which your proxy /, all)
    }
    assert.deepEqual(namesOf({ TRUST_PROXY: '128.0.0.0/1,8000::/1,::ffff:10.0.0.0/104' }), [])
  })

  it('uses a hard quota without a soft one for both', () => {
    const config = configOf({ QUOTA_HARD_BYTES: '1000' })
    assert.deepEqual([config.quotaSoftBytes, config.quotaHardBytes], [1000, 1000])
    assert.deepEqual(
      [configOf({ QUOTA_SOFT_BYTES: '5' }).quotaSoftBytes, configOf({ QUOTA_SOFT_BYTES: '5' }).quotaHardBytes],
      [5, undefined],
    )
  })

  it('refuses settings that contradict each other', () => {
    assert.deepEqual(namesOf({ QUOTA_SOFT_BYTES: '2', QUOTA_HARD_BYTES: '1' }), ['QUOTA_SOFT_BYTES'])
    assert.deepEqual(namesOf({ CHUNK_BYTES_MAX: '4194304' }), ['CHUNK_BYTES_SUGGESTED'])
    assert.deepEqual(namesOf({ PROTOCOL_MIN: '2026-11-02' }), ['PROTOCOL_MIN'])
    assert.deepEqual(
      namesOf({ CHUNK_BYTES_MAX: '100', CHUNK_BYTES_SUGGESTED: '100', QUOTA_SOFT_BYTES: '1', QUOTA_HARD_BYTES: '1' }),
      [],
    )
  })

  it('accepts paths and PostgreSQL for the database, paths for the objects, and refuses everything else', () => {
    const config = configOf({ DATABASE_URL: 'sqlite:/var/keep.sqlite', BLOBS_URL: 'file:///srv/blobs' })
    assert.deepEqual(config.database, { kind: 'sqlite', path: '/var/keep.sqlite' })
    assert.deepEqual(config.blobs, { kind: 'files', directory: '/srv/blobs' })
    assert.deepEqual(configOf({ BLOBS_URL: 'file:objects' }).blobs, { kind: 'files', directory: 'objects' })
    const { blobs } = configOf({ BLOBS_URL: 's3://keep/north?region=eu-north-1' })
    assert.ok(blobs.kind === 's3')
    assert.deepEqual(
      [blobs.address.bucket, blobs.address.prefix, blobs.address.region],
      ['keep', 'north/', 'eu-north-1'],
    )
    assert.deepEqual(namesOf({ BLOBS_URL: 'ftp://keep/north' }), ['BLOBS_URL'])
    assert.doesNotMatch(faultsOf({ BLOBS_URL: 's3://u:secret@keep/north' }).join(), /secret/)
    for (const url of [
      'postgres://u:secret@db/keep',
      'postgresql://u@db:5433/keep?sslmode=verify-full',
      'postgres:///keep?host=/run',
    ])
      assert.deepEqual(configOf({ DATABASE_URL: url }).database, { kind: 'postgres', url })
    const wrong = ['sqlite:', 'sqlite::memory:', '/var/keep.sqlite', 'sqlite://host/path', 'mysql://u:secret@db/keep']
    for (const url of [...wrong, 'postgres://u:secret@db', 'postgres://u:secret@db/', 'postgres://u:secret@db/a/b']) {
      const faults = faultsOf({ DATABASE_URL: url })
      assert.deepEqual([faults.length, faults[0]?.split(' ')[0]], [1, 'DATABASE_URL'], url)
      assert.doesNotMatch(faults.join(), /secret/)
    }
  })

  it('puts every default path under DATA_DIR', () => {
    const config = configOf({ DATA_DIR: '/srv/keep' })
    assert.ok(config.database.kind === 'sqlite' && config.blobs.kind === 'files')
    const paths = [config.database.path, config.blobs.directory, config.masterSecretFile, config.limitsPath]
    assert.ok(paths.every((path) => path.startsWith('/srv/keep/')))
    assert.equal(configOf({ DATA_DIR: '/srv/keep', MASTER_SECRET_FILE: '/run/secret' }).masterSecretFile, '/run/secret')
  })
})

describe('the settings of metrics', () => {
  it('are off by default, and on loopback need no token', () => {
    const { metricsPort, metricsHost, metricsToken } = configOf({})
    assert.deepEqual([metricsPort, metricsHost, metricsToken], [undefined, '127.0.0.1', undefined])
    assert.equal(configOf({ METRICS_PORT: '9464' }).metricsPort, 9464)
  })

  it('need a token elsewhere, which no fault repeats', () => {
    const beyond = { METRICS_PORT: '9464', METRICS_HOST: '10.0.0.5' }
    assert.deepEqual(faultsOf(beyond), ['METRICS_TOKEN must be set, because METRICS_HOST is not a loopback address'])
    assert.equal(configOf({ ...beyond, METRICS_TOKEN: 'a'.repeat(20) }).metricsToken, 'a'.repeat(20))
    for (const token of ['hunter2', `${'hunter2'.repeat(5)} and a space`]) {
      const faults = faultsOf({ METRICS_TOKEN: token })
      assert.deepEqual([faults.length, faults[0]?.split(' ')[0]], [1, 'METRICS_TOKEN'])
      assert.doesNotMatch(faults.join(), /hunter2/)
    }
  })

  it('name another port than the service', () => {
    assert.deepEqual(faultsOf({ PORT: '9464', METRICS_PORT: '9464' }), ['METRICS_PORT must be another port than PORT'])
  })
})

describe('publicAddressOf', () => {
  it('is PUBLIC_URL if it is set', () => {
    const address = { serverId: 'https://keep.example', baseUrl: 'https://keep.example/drop' }
    assert.deepEqual(publicAddressOf(configOf({ PUBLIC_URL: 'https://keep.example/drop/' }), 41_000), address)
  })

  it('is otherwise the host and the listening port', () => {
    assert.equal(publicAddressOf(configOf({ PORT: '0' }), 41_000).serverId, 'http://127.0.0.1:41000')
    assert.equal(publicAddressOf(configOf({ HOST: '::1' }), 41_000).baseUrl, 'http://[::1]:41000')
    assert.equal(publicAddressOf(configOf({ HOST: 'localhost' }), 80).baseUrl, 'http://localhost')
  })
})

describe('describeSettings', () => {
  it('lists each variable once, with its default and a sentence', () => {
    const settings = describeSettings()
    assert.equal(new Set(settings.map(({ name }) => name)).size, settings.length)
    for (const { name, fallback, meaning } of settings) {
      assert.match(name, /^[A-Z][A-Z0-9_]+$/)
      assert.notEqual(fallback, '', name)
      assert.match(meaning, /^[A-Z].*\.$/, name)
    }
    assert.equal(settings.find(({ name }) => name === 'CHUNK_BYTES_MAX')?.fallback, '16777216')
  })
})
