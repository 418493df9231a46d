"""S3 and Google Cloud Storage on this machine: moto and gcp-storage-emulator, as fsspec finds them by environment variables."""

import logging
import os


_running = []


def stop():
    """Ends both: their threads would keep the process."""
    while _running:
        _running.pop().stop()


def start():
    """Starts both; the address of a bucket in each."""
    from gcp_storage_emulator.server import create_server
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    s3 = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    s3.start()
    host, port = s3.get_host_and_port()
    gcs = create_server("127.0.0.1", 0, in_memory=True, default_bucket="bucket")
    gcs.start()
    _running.extend([s3, gcs])
    os.environ.update(
        AWS_ENDPOINT_URL=f"http://{host}:{port}", AWS_ACCESS_KEY_ID="test", AWS_SECRET_ACCESS_KEY="test", AWS_DEFAULT_REGION="us-east-1",
        STORAGE_EMULATOR_HOST="http://127.0.0.1:%d" % gcs._api._httpd.server_address[1], FSSPEC_GS_TOKEN="anon",
        # Zonal buckets are asked for over gRPC, which the emulator does not speak.
        GCSFS_EXPERIMENTAL_ZB_HNS_SUPPORT="false",
    )
    import fsspec

    fsspec.filesystem("s3").mkdir("bucket")
    return {"S3": "s3://bucket", "Google Cloud Storage": "gs://bucket"}


def put(root, directory):
    """Copies a directory into a bucket."""
    import fsspec

    files, base = fsspec.core.url_to_fs(root)
    for name in sorted(os.listdir(directory)):
        files.put_file(os.path.join(directory, name), f"{base}/{os.path.basename(directory)}/{name}")
