'use strict';
// node run.js CORLISS: the npm package steam-user against `corliss serve`, over TCP and over wss. The TCP connection
// goes through a recorder here, and the record is checked frame by frame (decode.js).
const assert = require('assert');
const {spawn} = require('child_process');
const crypto = require('crypto');
const fs = require('fs');
const net = require('net');
const os = require('os');
const path = require('path');
const readline = require('readline');

const {decode, frames, open} = require('./decode.js');

const EMsg = {Logon: 5514, LogonResponse: 751, HeartBeat: 703, LogOff: 706, SessionToken: 850, CMList: 783};
// What steam-user asks for after the logon of an account; our CM, which has nothing of it, stays silent.
const afterLogon = [5577, 5583, 7524];
const anonymousLogon = 117093590311632896n;
const account = 76561197960287930n;
const heartbeatSeconds = 1;
const heartbeats = 4; // longer than the three that the server would miss

/** A server of ours; `told` is its first line. */
async function serve(corliss, ...options) {
	const child = spawn(corliss, ['serve', ...options], {stdio: ['ignore', 'pipe', 'inherit']});
	const [line] = await once(readline.createInterface(child.stdout), 'line');
	return {child, told: JSON.parse(line)};
}

const once = (emitter, name) => new Promise((resolve, reject) => {
	emitter.once(name, (...values) => resolve(values));
	emitter.once('error', reject);
});

async function stop({child}) {
	const gone = once(child, 'exit');
	child.kill('SIGINT');
	assert.deepStrictEqual(await gone, [130, null]);
}

/** Stands between client and server and keeps what passes. */
async function recorder(port) {
	const record = {fromServer: [], fromClient: [], connections: 0};
	const listener = net.createServer((client) => {
		++record.connections;
		const server = net.connect(port, '127.0.0.1');
		const pass = (from, to, keep) => {
			from.on('data', (data) => { keep.push(data); to.write(data); });
			from.on('end', () => to.end());
			from.on('error', () => to.destroy());
		};
		pass(server, client, record.fromServer);
		pass(client, server, record.fromClient);
	});
	listener.listen(0, '127.0.0.1');
	await once(listener, 'listening');
	return {record, port: listener.address().port, close: () => listener.close()};
}

/** One run of client.js. */
async function client(config, env) {
	const child = spawn(process.execPath, [path.join(__dirname, 'client.js'), JSON.stringify(config)],
		{env: {...process.env, ...env}, stdio: ['ignore', 'pipe', 'inherit']});
	const text = [];
	child.stdout.on('data', (data) => text.push(data));
	await once(child, 'close');
	return JSON.parse(Buffer.concat(text));
}

/** A refresh token for `account`, whose signature nobody here looks at. */
function refreshToken() {
	const part = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
	const now = Math.floor(Date.now() / 1000);
	return [part({typ: 'JWT', alg: 'EdDSA'}), part({iss: 'steam', sub: String(account), aud: ['client', 'derive'], iat: now, exp: now + 3600}),
		'c2lnbmF0dXJl'].join('.');
}

function checkTold(told, anonymous) {
	assert.strictEqual(told.end, 'disconnected: Logged off');
	assert.strictEqual(told.eresult, 1);
	assert.strictEqual(told.heartbeatSeconds, heartbeatSeconds);
	assert.strictEqual(told.anonymous, anonymous);
	assert.strictEqual(told.publicIp, '127.0.0.1');
	assert.strictEqual(told.cellId, 1);
	assert.strictEqual(told.heartbeats, heartbeats);
	// On TCP the handshake's response comes first; a hello never.
	const sent = told.sent.filter((emsg) => emsg !== 1304);
	assert.strictEqual(sent[0], EMsg.Logon);
	assert.strictEqual(sent.at(-1), EMsg.LogOff);
	assert.deepStrictEqual(sent.filter((emsg) => afterLogon.includes(emsg)), anonymous ? [] : afterLogon);
	assert.strictEqual(sent.filter((emsg) => emsg === EMsg.HeartBeat).length, heartbeats);
}

function checkRecord(record, told, privateKey, logonId) {
	assert.strictEqual(record.connections, 1);
	const fromServer = Buffer.concat(record.fromServer);
	const fromClient = Buffer.concat(record.fromClient);
	const sessionKey = Buffer.from(told.sessionKey, 'hex');
	const seen = decode(fromServer, fromClient, privateKey, sessionKey);

	assert.deepStrictEqual(seen.fromClient.map((message) => message.emsg), told.sent.filter((emsg) => emsg !== 1304));
	assert.deepStrictEqual(seen.fromServer.map((message) => message.emsg), [EMsg.LogonResponse, EMsg.SessionToken, EMsg.CMList]);
	assert.strictEqual(seen.multis, 1);
	const [response, ...pushed] = seen.fromServer;
	assert.strictEqual(response.body[1], 1n);
	assert.strictEqual(response.header[1].toString(), told.steamId);
	const [logon, ...later] = seen.fromClient;
	assert.strictEqual(logon.header[1], logonId);
	for (const message of [...later, ...pushed]) {
		assert.strictEqual(message.header[1], response.header[1], `steamid in ${message.emsg}`);
		assert.strictEqual(message.header[2], response.header[2], `session id in ${message.emsg}`);
	}

	// The decoder would notice: any changed bit of any packet is refused.
	for (const packet of frames(fromServer).slice(2)) {
		for (const at of [0, 15, packet.length - 1]) {
			const changed = Buffer.from(packet);
			changed[at] ^= 1;
			assert.throws(() => open(changed, sessionKey));
		}
	}
	return `${seen.packets} encrypted packets, ${seen.multis} Multi`;
}

async function main(corliss) {
	const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'corliss-interop-'));
	const certificate = path.join(folder, 'ca.pem');
	const keyFile = path.join(folder, 'key.pem');
	const {privateKey, publicKey} = crypto.generateKeyPairSync('rsa', {
		modulusLength: 1024, publicExponent: 17,
		privateKeyEncoding: {type: 'pkcs8', format: 'pem'}, publicKeyEncoding: {type: 'spki', format: 'pem'},
	});
	fs.writeFileSync(keyFile, privateKey, {mode: 0o600});
	const server = await serve(corliss, '--tcp', '127.0.0.1:0', '--wss', '127.0.0.1:0', '--key', keyFile,
		'--cert-out', certificate, '--heartbeat', String(heartbeatSeconds));
	try {
		assert.strictEqual(server.told.public_key, publicKey);
		const portOf = (scheme) => Number(server.told.endpoints[scheme].split(':').at(-1));

		const overTcp = async (how, logonId, more) => {
			const between = await recorder(portOf('tcp'));
			const told = await client({type: 'netfilter', endpoint: `127.0.0.1:${between.port}`, publicKey, heartbeats, ...more});
			between.close();
			checkTold(told, !more);
			console.log(`passed steam-user over TCP, ${how}: ${checkRecord(between.record, told, privateKey, logonId)}`);
			return told;
		};
		await overTcp('anonymous', anonymousLogon);
		const owner = await overTcp('with a token', account, {refreshToken: refreshToken()});
		assert.strictEqual(owner.steamId, String(account));

		const overWss = await client({type: 'websockets', endpoint: `localhost:${portOf('wss')}`, publicKey, heartbeats},
			{NODE_EXTRA_CA_CERTS: certificate});
		checkTold(overWss, true);
		assert.strictEqual(overWss.sessionKey, undefined);
		console.log(`passed steam-user over wss, anonymous: ${overWss.sent.length} messages`);
	} finally {
		await stop(server);
		fs.rmSync(folder, {recursive: true});
	}
	console.log('3 passed, 0 failed');
}

main(process.argv[2]).catch((error) => {
	console.error(error);
	process.exit(1);
});
