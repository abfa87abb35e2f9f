const OUR_FAULT =
  'Etwas ist schiefgegangen, das nicht passieren sollte. Laden Sie die Seite neu und versuchen Sie es noch einmal.'
const OTHER_FILE =
  'Beim Server ist etwas anderes angekommen, als gesendet wurde. Nichts davon wurde behalten; versuchen Sie es noch einmal.'
const GONE = 'Das gibt es hier nicht mehr. Vielleicht wurde es inzwischen entfernt.'
const BROKEN_SEAL =
  'Das lässt sich nicht öffnen: Es wurde nach dem Versiegeln verändert oder nicht für dieses Konto versiegelt. Vertrauen Sie nichts, was Sie davon gesehen haben.'

export const problems: typeof import('../en/problems.ts').problems = {
  codes: {
    'error.request.malformed': OUR_FAULT,
    'error.drop.malformed': OUR_FAULT,
    'error.drop.opaque_id_taken': 'Der Link konnte nicht angelegt werden. Versuchen Sie es noch einmal.',
    'error.auth.registration_invalid': 'Der Server nimmt diese E-Mail-Adresse nicht an. Prüfen Sie die Schreibweise.',
    'error.device.invalid':
      'Der Signaturschlüssel dieses Browsers wird nicht mehr angenommen. Laden Sie die Seite neu: Es wird ein neuer angelegt.',
    'error.drop.adoption_mismatch':
      'Diese Datei hat sich im Eingang inzwischen geändert. Laden Sie die Seite neu und sehen Sie nach.',
    'error.manifest.suite_unknown': OUR_FAULT,
    'error.manifest.invalid': OUR_FAULT,
    'error.manifest.mismatch': OUR_FAULT,
    'error.manifest.timestamp_out_of_range':
      'Die Uhr dieses Geräts geht falsch, deshalb wurde die Signatur abgelehnt. Stellen Sie die Uhr und versuchen Sie es noch einmal.',
    'error.upload.unsupported_content_type': OUR_FAULT,
    'error.sync.cursor_invalid': OUR_FAULT,
    'error.upload.missing_offset': OUR_FAULT,
    'error.upload.missing_checksum': OUR_FAULT,
    'error.upload.empty_chunk': OUR_FAULT,
    'error.federation.lifetime_too_long': 'Dieser Zugang gilt höchstens 24 Stunden. Wählen Sie eine kürzere Zeit.',
    'error.request.unauthenticated': 'Sie sind nicht mehr angemeldet. Melden Sie sich neu an.',
    'error.auth.session_expired': 'Sie wurden abgemeldet. Melden Sie sich neu an.',
    'error.auth.recovery_invalid':
      'Diese Wiederherstellungswörter gehören nicht zu dieser E-Mail-Adresse, oder das Konto hat keine. Prüfen Sie beides.',
    'error.auth.invalid_credentials': 'Die E-Mail-Adresse oder das Passwort ist falsch. Prüfen Sie beides.',
    'error.auth.totp_challenge_invalid':
      'Diese Anmeldung hat zu lange gedauert, oder es gab zu viele falsche Codes. Beginnen Sie neu.',
    'error.auth.totp_invalid_code':
      'Dieser Code ist falsch oder wurde schon benutzt. Warten Sie auf den nächsten; ist auch der falsch, prüfen Sie die Uhr Ihres Telefons.',
    'error.request.limit_reached':
      'Das Konto hat so viele davon, wie es haben darf. Entfernen Sie einige, die Sie nicht mehr brauchen.',
    'error.auth.registration_closed':
      'Dieser Server nimmt neue Konten nur mit einer Einladung an, und diese ist nicht gültig.',
    'error.account.suspended':
      'Dieses Konto ist gesperrt: Sie können ansehen und entfernen, was hier liegt, aber nichts hinzufügen. Fragen Sie, wer diesen Server betreibt.',
    'error.blob.withheld':
      'Wer diesen Server betreibt, hält diese Datei vorerst zurück. Sie wird aufbewahrt; fragen Sie dort nach dem Grund.',
    'error.album.not_available': 'Dieses Album gibt es nicht mehr. Laden Sie die Seite neu und wählen Sie ein anderes.',
    'error.device.not_authorized':
      'Dieser Browser darf keine Dateien mehr hinzufügen: Sein Signaturschlüssel wurde widerrufen. Laden Sie die Seite neu, um einen neuen anzulegen.',
    'error.drop.passphrase_required': 'Das Kennwort für den Link fehlt oder ist falsch.',
    'error.drop.links_exhausted':
      'Es gibt so viele offene Links, wie es geben darf. Widerrufen Sie einige, die Sie nicht mehr brauchen.',
    'error.quota.exceeded':
      'Ihr Speicher ist voll. Entfernen Sie Dateien, die Sie nicht brauchen, oder bitten Sie den Betreiber des Servers um mehr Platz.',
    'error.request.not_found': OUR_FAULT,
    'error.device.not_found': GONE,
    'error.upload.session_not_found':
      'Dieses Hochladen ist vorbei: Es ist abgelaufen oder wurde abgebrochen. Beginnen Sie neu.',
    'error.drop.link_not_found':
      'Dieser Link nimmt keine Dateien mehr an: Er ist abgelaufen, aufgebraucht oder widerrufen.',
    'error.drop.not_found': 'Diese Datei ist nicht mehr im Eingang: Sie wurde anderswo behalten oder verworfen.',
    'error.asset.not_found': GONE,
    'error.storage.asset_not_found': GONE,
    'error.blob.not_found': GONE,
    'error.share.not_found': 'Diese Freigabe gibt es nicht mehr: Sie ist abgelaufen oder wurde beendet.',
    'error.request.method_not_allowed': OUR_FAULT,
    'error.auth.user_already_exists':
      'Es gibt schon ein Konto mit dieser E-Mail-Adresse. Melden Sie sich an, oder nehmen Sie eine andere.',
    'error.auth.totp_already_active':
      'Der zweite Schritt ist schon eingeschaltet. Schalten Sie ihn aus, bevor Sie ihn neu einrichten.',
    'error.auth.totp_not_pending':
      'Der zweite Schritt wird gerade nicht eingerichtet. Beginnen Sie neu; ist er schon eingeschaltet und Sie haben keine Ersatzcodes, schalten Sie ihn zuerst aus.',
    'error.auth.totp_not_enrolled': 'Der zweite Schritt ist schon ausgeschaltet.',
    'error.upload.checksum_mismatch': OTHER_FILE,
    'error.upload.offset_mismatch':
      'Beim Hochladen ging die Stelle verloren. Versuchen Sie es noch einmal: Es geht dort weiter, wo der Server ist.',
    'error.upload.chunk_conflict': 'Die Datei wurde während des Sendens geändert. Fügen Sie sie noch einmal hinzu.',
    'error.upload.size_exceeded': 'Die Datei ist während des Sendens gewachsen. Fügen Sie sie noch einmal hinzu.',
    'error.upload.too_many_chunks': 'Das Hochladen wurde in zu viele Stücke geteilt. Beginnen Sie neu.',
    'error.upload.session_closed': 'Dieses Hochladen ist vorbei.',
    'error.upload.content_hash_mismatch': OTHER_FILE,
    'error.asset.id_taken':
      'An dieser Stelle wurde inzwischen etwas anderes behalten. Laden Sie die Seite neu und sehen Sie nach.',
    'error.asset.retained':
      'Etwas hier muss noch eine Weile aufbewahrt werden, wie es beim Speichern festgelegt wurde. Nichts wurde gelöscht.',
    'error.manifest.stale':
      'Diese Datei wurde inzwischen anderswo geändert. Laden Sie die Seite neu und sehen Sie nach.',
    'error.drop.cap_exhausted': 'Der Link ist voll.',
    'error.request.payload_too_large': 'Das ist mehr, als der Server auf einmal annimmt.',
    'error.drop.file_too_large': 'Die Datei ist größer, als der Link erlaubt.',
    'error.upload.file_too_large': 'Die Datei ist größer, als der Server erlaubt.',
    'error.request.unsupported_media_type': OUR_FAULT,
    'error.request.range_not_satisfiable': OUR_FAULT,
    'error.request.unprocessable': OUR_FAULT,
    'error.protocol.version_unsupported': 'Der Server ist neuer als diese Seite. Laden Sie die Seite neu.',
    'error.auth.rate_limited': 'Es gab zu viele Versuche.',
    'error.drop.rate_limited': 'Es gab zu viele Versuche mit diesem Link.',
    'error.request.failed': 'Der Server hatte einen Fehler. Versuchen Sie es gleich noch einmal.',
    'error.storage.unavailable':
      'Der Server kann gerade nichts speichern. Nichts, was bestätigt wurde, ist verloren; versuchen Sie es später noch einmal.',
    'error.federation.revocations_unavailable':
      'Der Server kann das gerade nicht beantworten. Versuchen Sie es gleich noch einmal.',
    unknown:
      'Der Server, oder etwas auf dem Weg dorthin, gab eine unverständliche Antwort. Versuchen Sie es noch einmal.',
  },
  network: {
    unreachable: 'Der Server ist nicht erreichbar. Prüfen Sie Ihre Verbindung und versuchen Sie es noch einmal.',
    timeout: 'Der Server hat nicht rechtzeitig geantwortet. Versuchen Sie es noch einmal.',
    cut: 'Die Verbindung ist abgebrochen. Versuchen Sie es noch einmal.',
  },
  send: {
    gave_up:
      'Der Server war viele Male hintereinander nicht erreichbar. Was angekommen ist, bleibt einen Tag: Machen Sie später weiter.',
    link_closed: 'Dieser Link nimmt keine Dateien an.',
    link_full: 'Der Link ist voll.',
    passphrase_refused: 'Das Kennwort für den Link fehlt oder ist falsch.',
    too_large: 'Die Datei ist größer, als der Link erlaubt.',
    owner_full: 'Der Speicher des empfangenden Kontos ist voll.',
    session_gone: 'Der Server kennt dieses Hochladen nicht mehr. Beginnen Sie neu.',
    session_failed: OTHER_FILE,
    chunk_refused:
      'Etwas zwischen hier und dem Server lehnt selbst kleine Stücke der Datei ab. Sagen Sie es dem Betreiber.',
    file_changed: 'Die Datei wurde während des Sendens geändert. Fügen Sie sie noch einmal hinzu.',
    storage_full: 'Ihr Speicher ist voll. Entfernen Sie etwas, und machen Sie dann weiter.',
    too_large_for_server: 'Die Datei ist größer, als der Server erlaubt.',
    too_many_uploads:
      'Es wird so viel gleichzeitig hochgeladen, wie erlaubt ist. Warten Sie, bis etwas fertig ist, und machen Sie dann weiter.',
    signed_out: 'Sie wurden abgemeldet. Melden Sie sich neu an; das Hochladen geht dort weiter, wo es aufgehört hat.',
    suspended: 'Dieses Konto ist gesperrt, und nichts kann hinzugefügt werden. Fragen Sie, wer diesen Server betreibt.',
    device_refused:
      'Der Signaturschlüssel dieses Browsers wurde widerrufen. Laden Sie die Seite neu und fügen Sie die Datei noch einmal hinzu.',
    album_refused: 'Dieses Album gibt es nicht mehr. Wählen Sie ein anderes.',
    asset_taken:
      'An dieser Stelle wurde inzwischen etwas anderes behalten, oder es wurde gelöscht. Laden Sie die Seite neu und sehen Sie nach.',
    manifest_refused:
      'Der Server lehnt ab, was signiert wurde. Prüfen Sie die Uhr dieses Geräts und fügen Sie die Datei noch einmal hinzu.',
    version_refused:
      'Der Server ist neuer als diese Seite. Laden Sie sie neu und fügen Sie die Datei noch einmal hinzu.',
    refused: 'Der Server lehnt dieses Hochladen ab. Beginnen Sie neu.',
  },
  account: {
    kdf_unknown:
      'Der Server verlangt etwas, das diese Seite nicht kennt; Ihr Passwort wurde deshalb nicht verwendet. Laden Sie die Seite neu.',
    account_key_missing:
      'Der Server hat für dieses Konto keinen Schlüssel, deshalb lässt sich nichts darin öffnen. Fragen Sie den Betreiber.',
    account_key_unreadable:
      'Der Schlüssel, den der Server gab, wurde nicht mit Ihrem Passwort versiegelt. Machen Sie nicht weiter: Fragen Sie den Betreiber auf einem anderen Weg.',
  },
  recovery: {
    not_registered: 'Es gibt noch kein Konto, zu dem diese Wörter gehören.',
    recovery_key_unreadable:
      'Diese Wörter öffnen dieses Konto nicht: Sie gehören zu einer anderen E-Mail-Adresse, oder das Konto hat keine.',
  },
  words: {
    count: 'Es sind 24 Wiederherstellungswörter. Prüfen Sie, ob eines fehlt oder eines zu viel ist.',
    unknown_word: 'Ein Wort steht nicht auf der Liste. Prüfen Sie die Schreibweise.',
    checksum: 'Alle diese Wörter gibt es, und doch ist eines falsch, oder zwei sind vertauscht.',
  },
  asset: {
    asset_differs:
      'Was der Server über diese Datei sagt, widerspricht dem, was signiert wurde. Vertrauen Sie ihr nicht.',
    provenance_invalid: 'Die Signatur dieser Datei stimmt nicht. Vertrauen Sie ihr nicht.',
    device_unknown: 'Diese Datei hat ein Gerät signiert, das nicht Ihres ist. Vertrauen Sie ihr nicht.',
    envelope_differs:
      'Was der Server über diese Datei sagt, widerspricht dem, was signiert wurde. Vertrauen Sie ihr nicht.',
    key_unreadable:
      'Der Schlüssel dieser Datei lässt sich nicht öffnen. Vertrauen Sie nicht dem, was der Server dafür gibt.',
    hash_differs: 'Der Server gab andere Bytes, als gespeichert wurden. Verwerfen Sie, was davon gesichert wurde.',
    metadata_differs: 'Die Beschreibung dieser Datei widerspricht dem, was signiert wurde. Vertrauen Sie ihr nicht.',
  },
  share: {
    malformed: 'Das ist keine Adresse einer Freigabe, oder sie wurde abgeschnitten. Kopieren Sie sie noch einmal ganz.',
    fragment_missing: 'Der Teil der Adresse nach # fehlt. Kopieren Sie sie noch einmal ganz.',
    index_swapped: 'Was der Server für diese Adresse gibt, wurde nicht für sie versiegelt. Vertrauen Sie ihm nicht.',
    index_invalid: 'Was freigegeben wurde, lässt sich nicht lesen.',
    index_unknown: 'Was freigegeben wurde, stammt aus einer neueren Version. Laden Sie die Seite neu.',
    asset_differs: 'Der Server gab eine andere Datei, als freigegeben wurde. Verwerfen Sie, was davon gesichert wurde.',
    too_large: 'Das sind zu viele Dateien für eine Freigabe. Legen Sie mehrere an.',
  },
  unknownWord: (place, word) => `Wort ${place}, „${word}“, steht nicht auf der Liste. Prüfen Sie die Schreibweise.`,
  password: 'Das jetzige Passwort ist falsch. Nichts wurde geändert.',
  answer:
    'Der Server gab eine unverständliche Antwort. Laden Sie die Seite neu; bleibt es so, sagen Sie es dem Betreiber.',
  seal: BROKEN_SEAL,
  incomplete: 'Diese Datei ist nicht vollständig: Ein Hochladen wurde unterbrochen.',
  audit:
    'Der Server hat eine Quittung gezeigt, die nicht stimmt. Behalten Sie Ihre eigene Kopie und fragen Sie den Betreiber.',
  sourceChanged: 'Die Datei wurde geändert, während sie gelesen wurde. Wählen Sie sie noch einmal.',
  aborted: 'Es wurde angehalten.',
  unexpected: OUR_FAULT,
  retryAfter: (wait) => `Versuchen Sie es in ${wait} noch einmal.`,
  limit: (size) => `Höchstens ${size}.`,
  requestId: (id) => `Nummer für den Betreiber des Servers: ${id}`,
  retry: 'Noch einmal versuchen',
}
