"""Certificates made by openssl for a test: an authority, the daemon's, a client's."""

import os
import subprocess


class Certificates:
    def __init__(self, directory):
        self.directory = directory
        self.authority("ca")

    def path(self, name):
        return os.path.join(self.directory, name)

    def authority(self, name):
        self._openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                      "-subj", f"/CN={name}", "-keyout", self.path(f"{name}.key"), "-out", self.path(f"{name}.pem"))

    def make(self, name, authority="ca", host=None, days=2):
        """A key and a certificate that the authority signed, for a host if one is named."""
        self._openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", f"/CN={name}",
                      "-keyout", self.path(f"{name}.key"), "-out", self.path(f"{name}.csr"))
        extensions = self.path(f"{name}.ext")
        with open(extensions, "w", encoding="ascii") as file:
            file.write(f"subjectAltName={'IP' if host[0].isdigit() else 'DNS'}:{host}\n" if host else "")
        self._openssl("x509", "-req", "-in", self.path(f"{name}.csr"), "-CA", self.path(f"{authority}.pem"), "-CAkey",
                      self.path(f"{authority}.key"), "-CAcreateserial", "-days", str(days), "-extfile", extensions,
                      "-out", self.path(f"{name}.pem"))

    def daemon_config(self):
        return (
            f'[admin_tls]\ncertificate = "{self.path("daemon.pem")}"\n'
            f'key = "{self.path("daemon.key")}"\nclient_ca = "{self.path("ca.pem")}"\n'
        )

    def client_options(self, client="client", authority="ca"):
        return ["--tls-ca", self.path(f"{authority}.pem"), "--tls-cert", self.path(f"{client}.pem"),
                "--tls-key", self.path(f"{client}.key")]

    @staticmethod
    def _openssl(*arguments):
        subprocess.run(["openssl", *arguments], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
