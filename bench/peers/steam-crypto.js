'use strict';
// Reads { key, milliseconds, packets: [{ plain, packet }] } (hex) from standard input, checks steam-crypto against it,
// times it, and prints { version, rows: [{ op, size, ns_per_packet, sealed? }] }. `corliss bench packet --peers` runs it.

const crypto = require('@doctormckay/steam-crypto');
const input = JSON.parse(require('fs').readFileSync(0, 'utf8'));
const key = Buffer.from(input.key, 'hex');

function fail(message) {
  console.error(message);
  process.exit(1);
}

/// Median, smallest and largest time of a call over slices of about a millisecond.
function time(call) {
  const nanoseconds = BigInt(input.milliseconds) * 1000000n;
  const run = (count) => {
    const start = process.hrtime.bigint();
    for (let i = 0; i < count; ++i) {
      call();
    }
    return process.hrtime.bigint() - start;
  };
  const warm = process.hrtime.bigint() + nanoseconds / 2n;
  let calls = 1;
  while (process.hrtime.bigint() < warm) {
    if (run(calls) < 1000000n) {
      calls *= 2;
    }
  }
  const times = [];
  const end = process.hrtime.bigint() + nanoseconds;
  while (process.hrtime.bigint() < end || times.length < 5) {
    times.push(Number(run(calls)) / calls);
  }
  times.sort((a, b) => a - b);
  return { median: times[times.length >> 1], min: times[0], max: times[times.length - 1] };
}

const rows = [];
for (const { plain: plainHex, packet: packetHex } of input.packets) {
  const plain = Buffer.from(plainHex, 'hex');
  const packet = Buffer.from(packetHex, 'hex');
  if (!crypto.symmetricDecrypt(packet, key, true).equals(plain)) {
    fail('steam-crypto opens a packet wrongly');
  }
  const sealed = crypto.symmetricEncryptWithHmacIv(plain, key).toString('hex');
  rows.push({ op: 'seal', size: plain.length, sealed, ns_per_packet: time(() => crypto.symmetricEncryptWithHmacIv(plain, key)) });
  rows.push({ op: 'open', size: plain.length, ns_per_packet: time(() => crypto.symmetricDecrypt(packet, key, true)) });
}
console.log(JSON.stringify({
  version: require('@doctormckay/steam-crypto/package.json').version + ', node ' + process.version, rows }));
