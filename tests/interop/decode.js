'use strict';
// Takes a recorded TCP connection apart with Node's crypto alone: an implementation of the channel that shares nothing
// with ours. Every frame must be there whole, every packet must authenticate, every Multi must unpack to its size.
const assert = require('assert');
const crypto = require('crypto');
const zlib = require('zlib');

/** Payloads of the frames in `stream`, to its last byte. */
function frames(stream) {
	const out = [];
	let at = 0;
	while (at < stream.length) {
		assert(stream.length - at >= 8, 'half a frame header');
		const size = stream.readUInt32LE(at);
		assert.strictEqual(stream.toString('latin1', at + 4, at + 8), 'VT01');
		assert(stream.length - at - 8 >= size, 'half a frame');
		out.push(stream.subarray(at + 8, at + 8 + size));
		at += 8 + size;
	}
	return out;
}

/** The message in an encrypted packet. */
function open(packet, key) {
	assert(packet.length >= 32 && packet.length % 16 === 0, `a packet of ${packet.length} bytes`);
	const ecb = crypto.createDecipheriv('aes-256-ecb', key, null).setAutoPadding(false);
	const iv = ecb.update(packet.subarray(0, 16));
	const cbc = crypto.createDecipheriv('aes-256-cbc', key, iv);
	const plain = Buffer.concat([cbc.update(packet.subarray(16)), cbc.final()]);
	const mac = crypto.createHmac('sha1', key.subarray(0, 16)).update(iv.subarray(13)).update(plain).digest();
	assert(mac.subarray(0, 13).equals(iv.subarray(0, 13)), 'a packet with a wrong MAC');
	return plain;
}

function crc32(bytes) {
	let crc = ~0;
	for (const byte of bytes) {
		crc ^= byte;
		for (let bit = 0; bit < 8; ++bit) {
			crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
		}
	}
	return ~crc >>> 0;
}

/** Fields of a protobuf message: number -> last value (BigInt or Buffer). */
function fields(bytes) {
	const out = {};
	let at = 0;
	const varint = () => {
		let value = 0n;
		for (let shift = 0n; ; shift += 7n) {
			assert(at < bytes.length && shift < 70n, 'half a varint');
			const byte = bytes[at++];
			value |= BigInt(byte & 127) << shift;
			if (byte < 128) {
				return value;
			}
		}
	};
	const take = (count) => {
		assert(bytes.length - at >= count, 'half a field');
		at += count;
		return bytes.subarray(at - count, at);
	};
	while (at < bytes.length) {
		const tag = Number(varint());
		switch (tag & 7) {
			case 0: out[tag >> 3] = varint(); break;
			case 1: out[tag >> 3] = take(8).readBigUInt64LE(); break;
			case 2: out[tag >> 3] = take(Number(varint())); break;
			case 5: out[tag >> 3] = BigInt(take(4).readUInt32LE()); break;
			default: assert.fail(`wire type ${tag & 7}`);
		}
	}
	return out;
}

/** The messages in a plain packet, Multi unpacked: {emsg, header, body}. */
function messages(plain) {
	const word = plain.readUInt32LE(0);
	assert(word >>> 31, 'not a protobuf message');
	const size = plain.readUInt32LE(4);
	assert(plain.length >= 8 + size, 'half a header');
	const message = {emsg: word & 0x7fffffff, header: fields(plain.subarray(8, 8 + size)), body: fields(plain.subarray(8 + size))};
	if (message.emsg !== 1) {
		return [message];
	}
	let inner = message.body[2];
	if (message.body[1]) {
		inner = zlib.gunzipSync(inner);
		assert.strictEqual(inner.length, Number(message.body[1]));
	}
	const out = [];
	for (let at = 0; at < inner.length;) {
		const length = inner.readInt32LE(at);
		assert(length > 0 && inner.length - at - 4 >= length, 'half a message in a Multi');
		out.push(...messages(inner.subarray(at + 4, at + 4 + length)));
		at += 4 + length;
	}
	return out;
}

/**
 * Checks a whole connection. `privateKey` is the server's, `sessionKey` what the client says it made.
 * @returns {{fromServer: object[], fromClient: object[], packets: number, multis: number}}
 */
function decode(fromServer, fromClient, privateKey, sessionKey) {
	const server = frames(fromServer);
	const client = frames(fromClient);
	const none = 'ff'.repeat(16);

	const request = server.shift();
	assert.strictEqual(request.length, 44);
	assert.strictEqual(request.toString('hex', 0, 28), `17050000${none}0100000001000000`);
	const challenge = request.subarray(28);

	const response = client.shift();
	assert.strictEqual(response.length, 164);
	assert.strictEqual(response.toString('hex', 0, 28), `18050000${none}0100000080000000`);
	const blob = response.subarray(28, 156);
	assert.strictEqual(response.readUInt32LE(156), crc32(blob));
	assert.strictEqual(response.readUInt32LE(160), 0);
	const secret = crypto.privateDecrypt({key: privateKey, padding: crypto.constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha1'}, blob);
	assert(secret.equals(Buffer.concat([sessionKey, challenge])), 'the key blob is not session key and challenge');

	assert.strictEqual(server.shift().toString('hex'), `19050000${none}01000000`);

	const opened = (packets) => packets.map((packet) => open(packet, sessionKey));
	const plainServer = opened(server);
	const plainClient = opened(client);
	return {
		fromServer: plainServer.flatMap(messages),
		fromClient: plainClient.flatMap(messages),
		packets: server.length + client.length,
		multis: plainServer.filter((plain) => plain.readUInt32LE(0) === 0x80000001).length,
	};
}

module.exports = {decode, frames, open, messages};
